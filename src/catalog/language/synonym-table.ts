/**
 * Everyday words for the same thing, one meaning a line; `_` joins the words of a phrase. A word may have several
 * meanings and then stands in several lines.
 *
 * Written as a thesaurus of what tools are about, not from any catalog: a line belongs here when two people would use
 * its words for the same request.
 */
export const SYNONYM_TABLE = `
create add generate compose insert set_up setup establish register build craft produce put_in put_on
show get read view display retrieve fetch see look_at check tell open pull_up give lookup inspect describe
list show enumerate browse overview see pull_up
search find look_for look_up lookup query seek locate discover hunt_for hunt dig_up track_down
update edit change modify adjust alter amend revise set correct fix tweak rewrite patch
delete remove erase cancel drop destroy discard get_rid_of throw_away throw_out trash wipe purge clear take_off take_down kill tear_down decommission scrap
cancel call_off abort withdraw revoke void terminate scrap annul drop back_out
send deliver dispatch transmit forward shoot fire_off drop mail submit
reply respond answer write_back get_back_to
start begin launch run trigger kick_off boot spin_up fire_up turn_on switch_on activate enable execute initiate power_on
stop halt end shut_down shutdown turn_off switch_off deactivate disable terminate quit power_off
restart reboot bounce reset power_cycle
pause suspend hold freeze snooze put_on_hold halt
resume continue unpause unfreeze carry_on
approve accept confirm authorize authorise sign_off green_light allow grant say_yes
reject decline deny refuse turn_down disapprove say_no
assign give allocate delegate hand_over put_in_charge designate
schedule plan arrange book set_up organize organise fix pencil_in timetable
reschedule move postpone push_back delay shift bring_forward defer put_off
share give_access send publish
invite ask_along add_guest bring
upload attach put_up push store save
download fetch pull save grab get_copy
export dump extract download save_as
import load ingest bring_in pull_in
convert transform turn_into change_into translate switch
translate interpret say_in language foreign
summarize summarise summary sum_up digest condense shorten recap gist tldr brief boil_down
pay settle charge cough_up spend hand_over remit
charge bill debit collect take_money
refund reimburse money_back give_back pay_back return repay
buy purchase order acquire shop
sell list offer
book reserve reservation booking
subscribe sign_up join enroll enrol register opt_in
unsubscribe opt_out leave stop_getting
archive file_away store put_away shelve
restore recover undelete bring_back get_back undo revert roll_back rollback
merge combine join unite consolidate bring_together
split divide separate break_up
copy duplicate clone replicate
move transfer relocate shift put
rename retitle name call change_name
lock secure close bolt shut
unlock open
block ban bar blacklist blocklist deny
mute silence quiet shut_up
verify check validate confirm authenticate prove
compare difference diff versus contrast
calculate compute work_out figure_out estimate add_up math maths
count number total tally how_many sum
track follow monitor watch trace keep_eye
notify alert warn tell inform ping let_know
remind reminder nudge dont_forget dont_let_forget
publish post release put_out go_live put_online
comment remark note feedback respond
favourite favorite heart upvote star
play listen put_on stream watch
record log capture write_down note_down jot enter track
print hard_copy paper
sign signature autograph e_sign esign
scan read ocr digitize digitise
analyze analyse analysis examine study assess evaluate investigate
close resolve finish complete wrap_up conclude settle end
complete finish tick_off check_off mark_off accomplish
escalate raise bump hand_up
rate rank score review
recommend suggest propose advise advice
detect spot recognize recognise identify
deploy release roll_out rollout ship push_live go_live push_out publish launch put_into_production
test check
optimize optimise improve tune speed_up
sync synchronize synchronise reconcile match_up
rotate renew replace swap change
renew extend prolong
request ask apply
meeting event appointment call get_together gathering session conference sync standup one_on_one catch_up interview
calendar agenda schedule diary planner
attendee guest participant invitee
free available availability busy open_slot slot vacant
email mail message inbox e_mail letter correspondence
draft unsent unfinished
spam junk unwanted phishing
label tag category mark
attachment file enclosed
task todo to_do chore to_dos errand action_item assignment work_item
reminder alarm alert
deadline due due_date
project initiative programme program
contact person address_book people phone_number rolodex
customer client account buyer shopper consumer patron
lead prospect potential_customer
deal opportunity sale sales pipeline
company organization organisation business firm corporation vendor
employee staff worker colleague coworker teammate personnel team_member people headcount
team department group squad division
manager boss supervisor lead
vacation leave time_off pto holiday days_off absence annual_leave off_work
salary pay payroll wage wages compensation earnings paycheck payslip remuneration paid
candidate applicant job_seeker
job position vacancy opening role
hire recruit onboard recruitment bring_on
fire dismiss offboard terminate let_go lay_off
benefit perk insurance
timesheet hours clock_in time_tracking worked
payment transaction charge money
invoice bill billing statement
card credit_card debit_card visa
subscription plan membership recurring
dispute chargeback contest
product item goods merchandise article sku
order purchase buying
cart basket trolley
stock inventory supply in_store quantity on_hand warehouse
shipment package parcel delivery shipping freight consignment box
carrier courier ups fedex
coupon discount promo voucher promotion promo_code deal money_off
price cost rate fee how_much expensive cheap quote
review rating feedback testimonial opinion stars
repository repo codebase source_code git
pull_request merge_request pr
commit changeset revision change
branch fork
code program software source script
issue ticket bug defect problem fault error
build pipeline ci compile workflow
server instance machine vm virtual_machine host computer node ec2 droplet
container docker pod
cluster kubernetes k8s
database db sql postgres mysql table
query sql select
backup snapshot copy dump
bucket storage s3 blob object
file document doc attachment paper
folder directory
log logs output trace
error exception crash failure fail broken
metric measurement statistic kpi figure
alert incident outage alarm warning pager
incident outage downtime emergency
oncall on_call pager duty
dashboard chart graph plot board visualization visualisation diagram
report summary analysis overview
dns domain nameserver hostname
certificate ssl tls cert https
secret credential password token key passphrase
user account member profile login
role permission access privilege rights
login sign_in log_in signin logon authenticate
logout sign_out log_out session
mfa two_factor 2fa authenticator otp
firewall security_group network_rule port
vulnerability cve exploit security_hole weakness flaw
threat attack malware virus intrusion hack hacker breach
audit history trail log
feature_flag toggle flag feature_switch
scale resize autoscale capacity bigger grow
cache cached cdn
queue message backlog
function lambda serverless
cost spend spending bill expense budget
flight plane fly airline air airfare
hotel room accommodation stay lodging place_to_stay somewhere_to_stay sleep motel hostel inn
car vehicle automobile auto
rental rent hire lease
train rail railway
bus coach transit public_transport
taxi ride cab uber lyft
trip travel journey itinerary voyage tour
seat place
baggage luggage bag suitcase
check_in checkin boarding
visa passport entry_requirement
direction route navigate get_to how_to_get path drive
map location place
address street postcode zip
distance far how_far mileage
nearby close near around_here closest
coordinate latitude longitude geocode gps
traffic congestion jam
elevation altitude height
timezone time_zone clock local_time
weather forecast climate temperature rain sunny umbrella snow storm
rain precipitation umbrella wet shower
temperature warm cold hot degree heat
air_quality pollution smog aqi
sun sunrise sunset dawn dusk
tide sea wave surf
share equity ticker stock_price security
portfolio holding investment investments asset
trade buy sell
currency exchange_rate forex fx money dollar euro
bank account
balance how_much_money funds left
transfer wire move_money send_money
expense spending expenditure receipt cost
budget allowance spending_limit
loan mortgage lending borrow credit
interest apr
tax vat irs duty
crypto bitcoin cryptocurrency ethereum coin
earnings revenue profit income
accounting ledger bookkeeping journal books
pdf document
spreadsheet sheet excel table csv workbook
presentation slide slides deck powerpoint
note memo notebook
wiki page knowledge_base article confluence
template boilerplate
version revision history
text words copy
web internet online google website site
page website site webpage url link
news headline press article story
image picture photo photograph pic
video clip film movie footage
music song track tune album
playlist mix
audio sound voice recording
speech voice spoken speak say_aloud read_aloud
transcribe transcript transcription write_out type_up
caption subtitle
podcast episode show
movie film cinema
chat message dm conversation talk im
sms text text_message
channel room group
call phone ring dial telephone
voicemail answering_machine
thread conversation discussion
emoji reaction thumbs_up
status presence availability
mention tag
post tweet status share
follower audience fan
feed timeline
hashtag tag topic
trend trending popular hot
story reel
engagement likes reach impression
campaign newsletter mailing marketing ad blast
ad advertisement advert commercial
segment audience group cohort
visitor traffic visit pageview
conversion funnel
experiment ab_test split_test
survey poll questionnaire form
event activity
anomaly outlier unusual strange odd weird
predict forecast projection prediction
light lamp bulb brightness
thermostat heating temperature hvac heater warm warmer
air_conditioning ac cooling
door gate entrance
garage car_port
camera cctv webcam surveillance
sensor detector
vacuum robot hoover clean
speaker volume loud
plug outlet socket switch
scene mood routine
blind curtain shade
device gadget appliance
firmware software
patient sick
doctor physician gp clinician practitioner
prescription medicine drug medication pill tablet refill
symptom ill sick hurt pain
lab blood_test test_result
vaccine shot jab immunization vaccination
allergy allergic
insurance coverage policy
workout exercise training run gym fitness jog
step walk
sleep rest night slept
calorie nutrition food meal diet eat ate
weight weigh kilo pound
heart pulse heartbeat
recipe cook dish bake
restaurant dinner lunch eat table eatery
course class lesson training
student pupil learner
teacher instructor tutor
grade mark score
homework assignment coursework
quiz exam test
attendance present absent
school university college
book title novel
loan borrow
contract agreement nda
clause term terms provision
case lawsuit matter litigation
court judge hearing
law statute regulation legal
trademark patent brand
compliance gdpr regulation
privacy personal_data gdpr data_protection
redact black_out hide anonymize anonymise
warehouse depot fulfillment
truck lorry fleet van
driver chauffeur
fuel gas petrol diesel
customs border duty
pickup collect collection
return send_back give_back
eta arrival arrive when_arrive
maintenance repair service fix
pallet load
supplier vendor
ticket case complaint support_request help_request
agent representative rep
sla response_time
satisfaction csat nps happy happiness
macro canned_response template
faq help_article knowledge_base
priority urgent importance
sentiment mood tone feeling emotion
embedding vector semantic similar
unit measure
holiday bank_holiday
birthday anniversary
gift present
charity donation donate
property house home apartment flat real_estate
tenant renter
landlord owner
number phone_number
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
schedule cron recurring repeat
whitelist allowlist
workspace tenant org
comment annotate
folder album
key api_key
`;
