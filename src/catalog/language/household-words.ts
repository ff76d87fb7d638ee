/** Everyday words about home, travel, health and leisure; lines as `synonyms.ts` explains. */
export const HOUSEHOLD_WORDS = `
flight plane airline fly air_ticket airfare jet
seat aisle window legroom
check_in boarding_pass
luggage bag suitcase baggage
airport terminal gate
hotel room accommodation lodging stay hostel inn b_and_b place_to_stay
book reserve get_me secure hold
train rail railway
bus coach tram metro subway underground transit
taxi cab ride uber lift
car vehicle rental hire_car rental_car
ferry boat ship cruise
trip travel journey vacation holiday getaway itinerary
visa passport travel_document
route directions navigate get_to drive
map place location spot
distance how_far far miles kilometers
traffic jam congestion
parking park space
charging_station charger ev
fuel gas petrol
weather rain forecast sunny temperature outside snow wind storm cloudy umbrella
temperature degrees warm cold hot
air_quality pollution pollen
earthquake quake tremor
sunrise sunset daylight
moon lunar
time clock what_time
timezone time_zone
alarm wake_up wake
timer countdown stopwatch
reminder remind nudge
light lamp bulb
dim darker brighter brightness
door lock entrance
lock bolt shut
thermostat heating temperature warmer cooler
fan ventilation
blind curtain shade shutter
vacuum hoover clean robot
washing_machine laundry dishwasher washer
oven stove
fridge refrigerator
camera surveillance cctv watch
sensor motion detector
doorbell bell
speaker volume louder quieter
tv television
garden plants lawn sprinkler irrigation water
electricity power energy consumption
solar panel
pet dog cat vet
child kid baby
music song track tune play listen
playlist mix queue
artist band singer musician
album record
podcast episode
radio station
video clip film footage
movie film cinema show
series tv_show episode watch
game play match
score result who_won
team club squad
photo picture image snapshot pic
album gallery
book novel read
library loan borrow
author writer
news headline press current_affairs
concert gig show
museum exhibition
ticket seat show
restaurant eatery place_to_eat diner table eat_out
table reservation
menu dish
order takeaway takeout delivery food
recipe cook dish meal bake
ingredient grocery groceries
shopping_list groceries grocery_list
wine beer drink
diet nutrition calories food
meal food ate eat
exercise workout run gym train
steps walk activity
weight weigh scales
sleep slept rest
heart_rate pulse
blood_pressure vital
doctor physician gp medic clinic appointment
dentist tooth
hospital clinic emergency
medicine drug medication pill tablet prescription
prescription refill renew repeat
pharmacy chemist drugstore
interaction side_effect mix together
symptom feel pain sick ache
test_result lab blood
vaccine jab shot immunization
allergy allergic intolerance
patient record chart medical
therapy counselling
insurance cover
school class lesson
teacher instructor
homework assignment exercise
exam test quiz
grade mark score
course lecture class
enroll sign_up register
tuition fee
flashcard study revise learn
definition define meaning what_does
synonym thesaurus another_word
dictionary word
language speak
fact trivia
joke funny laugh
quote proverb aphorism
wedding party celebrate
contact friend address_book phone_number
family relative
stock share equity ticker
crypto bitcoin coin
portfolio investment holdings
invest buy shares
exchange_rate currency convert
savings save put_aside
loan borrow lend
credit_score rating
card debit credit block freeze lost
transaction spent payment
subscription membership plan
post tweet share publish
follow follower fan
reaction heart
comment reply
hashtag tag
scheduled_post post schedule
profile bio avatar
plumber electrician handyman repair craftsman
cleaner cleaning tidy
garage mechanic repair
move moving_house relocation
waste rubbish recycling garbage
postcode zip address
government permit licence
police crime report
weather warning flood storm hurricane
flight_status delayed on_time landed
`;
