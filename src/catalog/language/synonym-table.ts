/**
 * Everyday words for the same thing, one meaning a line; `_` joins the words of a phrase. A word may have several
 * meanings and then stands in several lines.
 *
 * Written as a thesaurus of what tools are about, not from any catalog: a line belongs here when two people would use
 * its words for the same request. Lines may overlap: a word of many meanings counts less in each.
 */
export const SYNONYM_TABLE = `
create add generate compose insert set_up setup establish register build craft produce put_in launch spin_up provision draw_up prepare
show read view display retrieve fetch see look_at check tell open pull_up lookup inspect describe
list show enumerate browse overview see pull_up
search find look_for look_up lookup query seek locate discover hunt_for hunt dig_up track_down go_through
update edit change modify adjust alter amend revise correct fix tweak rewrite patch reschedule postpone push_back rename
delete remove erase cancel drop destroy discard get_rid_of throw_away throw_out trash wipe purge clear take_off take_down kill tear_down decommission scrap call_off bin
cancel call_off abort withdraw revoke void terminate scrap annul drop back_out
send deliver dispatch transmit forward shoot fire_off drop mail submit text message drop_a_line
reply respond answer write_back get_back_to
start begin launch run trigger kick_off boot spin_up fire_up turn_on switch_on activate enable execute initiate power_on
stop halt end shut_down shutdown turn_off switch_off deactivate disable terminate quit power_off
restart reboot bounce reset power_cycle
pause suspend hold freeze snooze put_on_hold halt
resume continue unpause unfreeze carry_on
approve accept confirm authorize authorise sign_off green_light allow grant say_yes
reject decline deny refuse turn_down disapprove say_no
assign allocate delegate hand_over put_in_charge designate
schedule plan arrange book set_up organize organise fix pencil_in timetable
reschedule move postpone push_back delay shift bring_forward defer put_off push update change
share give_access send publish
upload attach put_up push store save
download fetch pull save grab get_copy
export dump extract download save_as
import load ingest bring_in pull_in
convert transform turn_into change_into translate switch
sell list offer
merge combine join unite consolidate bring_together
split divide separate break_up
copy duplicate clone replicate
move transfer relocate shift
rename retitle name call change_name
lock secure close bolt shut
unlock open
block ban bar blacklist blocklist deny
verify check validate confirm authenticate prove
compare difference diff versus contrast
calculate compute work_out figure_out estimate add_up math maths
count number total tally how_many sum
track follow monitor watch trace keep_eye
notify alert warn tell inform ping let_know
publish post release put_out go_live put_online
comment remark note feedback respond
play listen put_on stream watch
record log capture write_down note_down jot enter track
print hard_copy paper
scan read ocr digitize digitise
analyze analyse analysis examine study assess evaluate investigate
close resolve finish complete wrap_up conclude settle end
complete finish tick_off check_off mark_off accomplish through_with finished cross_off
escalate raise bump hand_up
rate rank score review
recommend suggest propose advise advice
detect spot recognize recognise identify
test check
optimize optimise improve tune speed_up
sync synchronize synchronise reconcile match_up
rotate renew replace swap change
renew extend prolong
request ask apply
report summary analysis overview
share equity ticker stock_price security stock shares
schedule cron recurring repeat
comment annotate
report file raise open submit lodge log
announce broadcast tell publish post inform everybody share update
submit hand_in deliver file
hide conceal mask redact remove black_out blur
exchange convert change swap
paint draw picture image illustrate generate
trim clip shorten crop
surf browse visit
store shop
search google bing search_engine web
pin stick
accept attend join rsvp invitation respond
decline skip miss invitation respond
approve review look_over sign_off
block ban firewall
lock door entrance shut front_door
pause stop silence quiet music
escalate raise specialist
track arrive arrived
invite ask_along add_guest
translate interpret say_in language foreign
summarize summarise summary sum_up digest condense shorten recap gist tldr brief boil_down key_points short_version
pay settle charge cough_up spend hand_over remit
charge bill debit collect take_money
refund reimburse money_back give_back pay_back return repay compensate payment
buy purchase order acquire shop
book reserve reservation booking
subscribe sign_up join enroll enrol register opt_in
unsubscribe opt_out leave stop_getting
archive file_away store put_away shelve
restore recover undelete bring_back get_back undo revert roll_back rollback deployment
mute silence quiet shut_up
remind reminder nudge dont_forget dont_let_forget alarm
favourite favorite heart upvote star
sign signature autograph e_sign esign
deploy release roll_out rollout ship push_live go_live push_out publish launch put_into_production push production version
meeting event appointment call get_together gathering session conference sync standup one_on_one catch_up interview
calendar agenda schedule diary planner timetable plans
attendee guest participant invitee
free available availability busy open_slot slot vacant gap open
email mail message inbox e_mail letter correspondence
draft unsent unfinished
spam junk unwanted phishing unsolicited
label tag category mark
attachment file enclosed
task todo to_do chore to_dos errand action_item assignment work_item job work homework
reminder alarm alert
deadline due due_date
project initiative programme program
contact person address_book people phone_number rolodex acquaintance connection number
customer client account buyer shopper consumer patron
lead prospect potential_customer
deal opportunity sale sales pipeline
company organization organisation business firm corporation vendor
employee staff worker colleague coworker teammate personnel team_member people headcount
team department group squad division
manager boss supervisor lead
vacation leave time_off pto holiday days_off absence annual_leave off_work break sick
salary pay payroll wage wages compensation earnings paycheck payslip remuneration paid earn income
candidate applicant job_seeker
job position vacancy opening role
hire recruit onboard recruitment bring_on
fire dismiss offboard terminate let_go lay_off sack end
benefit perk insurance
timesheet hours clock_in time_tracking worked
payment transaction charge money
invoice bill billing statement
card credit_card debit_card visa
subscription plan membership recurring tier
dispute chargeback contest complaint
product item goods merchandise article sku thing_for_sale
order purchase buying
cart basket trolley
stock inventory supply in_store quantity on_hand warehouse available left units
shipment package parcel delivery shipping freight consignment box courier
carrier courier ups fedex
coupon discount promo voucher promotion promo_code deal money_off
price cost rate fee how_much expensive cheap quote
review rating feedback testimonial opinion stars
repository repo codebase source_code git project
pull_request merge_request pr patch
commit changeset revision change
branch fork
code program software source script
issue ticket bug defect problem fault error
build pipeline ci compile workflow
server instance machine vm virtual_machine host computer node ec2 droplet box
container docker pod
cluster kubernetes k8s
database db sql postgres mysql table
query sql select
backup snapshot copy dump database
bucket storage s3 blob object
file document doc attachment paper text
folder directory
log logs output trace
error exception crash failure fail broken
metric measurement statistic kpi figure
alert incident outage alarm warning pager broken firing wrong fail
incident outage downtime emergency
oncall on_call pager duty wake woken wake_up page
dashboard chart graph plot board visualization visualisation diagram
dns domain nameserver hostname
certificate ssl tls cert https expire
secret credential password token key passphrase api_key
user account member profile login person
role permission access privilege rights grant allow
login sign_in log_in signin logon authenticate
logout sign_out log_out session kick_out signed_in device
mfa two_factor 2fa authenticator otp second_factor
firewall security_group network_rule port
vulnerability cve exploit security_hole weakness flaw
threat attack malware virus intrusion hack hacker breach fraud phishing malicious suspicious dangerous fake trust
audit history trail log who_did
feature_flag toggle flag feature_switch
scale resize autoscale capacity bigger grow crop smaller picture
cache cached cdn
queue message backlog
function lambda serverless
cost spend spending bill expense budget pay expensive left
flight plane fly airline air airfare
hotel room accommodation stay lodging place_to_stay somewhere_to_stay sleep motel hostel inn place_to_sleep somewhere_to_sleep overnight
car vehicle automobile auto
rental rent hire lease
train rail railway connection
bus coach transit public_transport
taxi ride cab uber lyft lift pick_up
trip travel journey itinerary voyage tour plan
seat place
baggage luggage bag suitcase
check_in checkin boarding
visa passport entry_requirement
direction route navigate get_to how_to_get path drive directions walk
map location place
address street postcode zip
distance far how_far mileage
nearby close near around_here closest
coordinate latitude longitude geocode gps
traffic congestion jam
elevation altitude height
timezone time_zone clock local_time
weather forecast climate temperature rain sunny umbrella snow storm cold warm jacket
rain precipitation umbrella wet shower
temperature warm cold hot degree heat
air_quality pollution smog aqi smoggy dirty_air breathe dust
sun sunrise sunset dawn dusk
tide sea wave surf
portfolio holding investment investments asset
trade buy sell
currency exchange_rate forex fx money dollar euro
balance how_much_money funds left money savings bank account
transfer wire move_money send_money pay money
expense spending expenditure receipt cost
budget allowance spending_limit
loan mortgage lending borrow credit instalment installment house
interest apr
tax vat irs duty
crypto bitcoin cryptocurrency ethereum coin
earnings revenue profit income
accounting ledger bookkeeping journal books
spreadsheet sheet excel table csv workbook
presentation slide slides deck powerpoint talk
note memo notebook
wiki page knowledge_base article confluence
template boilerplate
version revision history
text words copy
web internet online google website site
page website site webpage url link homepage
news headline press article story
image picture photo photograph pic
video clip film movie footage
music song track tune album jazz rock pop tunes band artist singer play listen put_on
audio sound voice recording
speech voice spoken speak say_aloud read_aloud
transcribe transcript transcription write_out type_up
caption subtitle
podcast episode show
movie film cinema
chat message dm conversation talk im
sms text text_message
channel room group team
call phone ring dial telephone tell
voicemail answering_machine
thread conversation discussion
emoji reaction thumbs_up react
status presence availability
mention tag
post tweet status share
follower audience fan fans subscribers growth
feed timeline
hashtag tag topic
trend trending popular hot
story reel
engagement likes reach impression popular popularity performance
campaign newsletter mailing marketing ad blast
ad advertisement advert commercial
segment audience group cohort
visitor traffic visit pageview
experiment ab_test split_test
survey poll questionnaire form ask users opinion
event activity
anomaly outlier unusual strange odd weird spike
predict forecast projection prediction
light lamp bulb brightness bright illuminate
thermostat heating temperature hvac heater warm warmer cold cooler cosy hot
air_conditioning ac cooling
door gate entrance
garage car_port
camera cctv webcam surveillance
sensor detector
vacuum robot hoover clean sweep dust
speaker volume loud
plug outlet socket switch
scene mood routine
blind curtain shade
device gadget appliance laptop computer tablet phone appliances
firmware software
patient sick
doctor physician gp clinician practitioner
prescription medicine drug medication pill tablet refill pills
symptom ill sick hurt pain
lab blood_test test_result
vaccine shot jab immunization vaccination
allergy allergic
insurance coverage policy
workout exercise training run gym fitness jog
step walk
sleep rest night slept bed
calorie nutrition food meal diet eat ate breakfast lunch dinner snack pasta egg chicken salad fruit
weight weigh kilo pound
heart pulse heartbeat
recipe cook dish bake ingredients kitchen
restaurant dinner lunch eat table eatery breakfast reservation food eat_out
course class lesson training classes subject
student pupil learner
teacher instructor tutor
grade mark score result
homework assignment coursework essay
quiz exam test questions
attendance present absent attend
school university college
book title novel
contract agreement nda deal
clause term terms provision
case lawsuit matter litigation
court judge hearing
law statute regulation legal
trademark patent brand
compliance gdpr regulation
privacy personal_data gdpr data_protection delete_my_data
redact black_out hide anonymize anonymise names personal_data
warehouse depot fulfillment
truck lorry fleet van vehicle
driver chauffeur
fuel gas petrol diesel
customs border duty import
pickup collect collection
return send_back give_back
eta arrival arrive when_arrive
maintenance repair service fix broken leaking leak craftsman plumber heating
pallet load
ticket case complaint support_request help_request support request
agent representative rep
sla response_time
satisfaction csat nps happy happiness satisfied
macro canned_response template
faq help_article knowledge_base
priority urgent importance
sentiment mood tone feeling emotion
embedding vector semantic similar
unit measure
holiday bank_holiday day_off days_off
birthday anniversary
gift present
charity donation donate
property house home apartment flat real_estate place_to_live residence rent housing
tenant renter
landlord owner
owner assignee responsible
member participant people
description text
duplicate double twice
old stale outdated
big large
quota limit
license licence seat
environment staging production
variable setting config configuration
webhook callback
whitelist allowlist
workspace tenant org
folder album
late delayed delay behind_schedule on_time punctual hold_up flight_status
owe due outstanding overdue debt arrears owes past_due debtor
kick_out throw_out log_out sign_out eject evict logout end_session
breach leak leaked exposed compromised stolen hacked pwned
signature autograph signed sign
transparent background cut_out
positive negative happy sad sentiment mood upset annoyed tone
promo sale special_offer bargain discount coupon
fan follower supporter subscriber audience
buyer customer shopper purchaser
purchase buy order bought sold sale
money funds dollars euros
far distance long_way kilometers
drive directions car road
backup safe_copy snapshot
broken failing fail error crash outage not_working
people person employee staff
team colleague colleagues group
room space hall
attorney solicitor legal counsel
doctor dentist hospital clinic medical practice surgery physician specialist appointment see
lab laboratory
medicine medication drug drugs aspirin pill pills tablets
sports workout exercise run running cycling swimming gym jog swim bike
equation math algebra formula solve maths
define definition meaning dictionary mean word
language french spanish italian english chinese japanese translate
letter mail email note
plane flight airplane aircraft
garden plants water sprinkler
electricity energy consumption meter
shopping groceries grocery supermarket
shorten short tiny
qr barcode
ringtone ring call
memo recording audio dictation
picture photo image drawing illustration portrait
wage earn earned pay salary income
office desk workplace building
bug crash defect problem
website homepage site web_page landing_page
membership subscription cancel
deposit withdraw
statement balance
spreadsheet cells row column
cost owe charge price pay
weather sky outside outdoors
hot cold warm temperature degrees freeze freezing
warn warning
flood storm hurricane
sign_in log_in session login
doctor physician knee ankle shoulder tooth skin stomach injury ache pain fever
meal food toast cheese rice soup cake cereal sandwich vegetable dessert
discount promo sale coupon voucher rebate
mother father dad parent friend wife husband brother sister contact
bug issue problem report
alert broken failing problem trouble
server machine instance vps
mortgage loan house_loan home_loan monthly_payment instalments
hotel stay sleep_in overnight bed
credential login password
appointment doctor dentist visit checkup
bed_time alarm wake
contact know_at
read_out speak aloud
sound noise audio
hurry urgent priority
feedback complaint
damage broken defective
deliver bring_home courier
shirt clothes clothing
heating radiator
phone mobile cell smartphone
dim bright brightness
kitchen bedroom bathroom room
parking park
tip gratuity
gossip chat
colour color
grey gray
catalogue catalog
cheque check
favour favor
behaviour behavior
neighbourhood neighborhood area
centre center
cancelled canceled cancel
theatre theater
event meeting appointment party reception ceremony lunch coffee date call
trash bin garbage rubbish
out_of_office auto_reply automatic_reply responder vacation
urgent priority important pressing asap critical
invoice bill charge
upgrade downgrade plan tier
payout withdrawal transfer
return send_back exchange
diff change changed difference modification
commit change history
release version publish tag
scale capacity load
latency slow performance speed cpu memory metric
bucket storage file upload
payroll salaries pay_everyone
onboarding new_hire joiner newcomer start
applicant candidate resume cv apply
interview talk_to candidate
rent hire car
visa passport travel enter
boarding_pass check_in
place restaurant shop cafe bar nearby
tide sea beach
portfolio investment invest holdings shares
currency convert exchange dollars euros pounds yen
expense spend receipt reimbursement costs
pdf document scan
wiki page knowledge handbook
news headlines press
paper study article research journal
message chat text tell dm ping
status busy
sms text phone mobile
visitor traffic people users visit browsing surfing website
funnel conversion drop_off
experiment ab_test variant
sql query database
forecast predict trend
disable block lock_out suspend deactivate
password passcode forgot
revoke take_away withdraw remove permission
camera see picture security
blind curtain shutter
garage gate
playlist mix mixtape
transcript transcribe write_down words recording
movie film series actor cast
tweet post twitter
mention talk_about brand
help_center faq article
court lawsuit ruling judgment decision
trademark brand name_taken
refill more_pills running_out
lab test results
interact together mix combine
steps walk walked
pharmacy drugstore chemist
book novel read library
shipping rate postage cost
pickup collect fetch
route stops tour van
supplier vendor purchase
subscriber subscribe mailing_list newsletter
unsubscribe remove opt_out take_off newsletter mailing_list
ad advertising advertisement campaign
keyword seo search_volume
shorten short link url
qr code scan
delivery takeaway takeout bring_food home
groceries shopping_list
worth price estimate
`;
