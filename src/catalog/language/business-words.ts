/** Everyday words about business and the office; lines as `synonyms.ts` explains. */
export const BUSINESS_WORDS = `
create open start begin raise issue add produce author compose spawn fill_out
delete eliminate destroy dispose get_shot_of take_out ditch nuke dump strike clean_up
cancel call_off scrap drop pull_out back_out abandon stand_down
show find_out what_do_i_have give_me pull bring_up look_into learn present reveal
list what_are catalog enumerate itemize rundown roster
update refresh correct touch_up revise edit reword overwrite amend
send mail pass_on relay pass_along ship_off transmit fire_off
notify let_know give_a_heads_up heads_up alert ping tell inform apprise
search find hunt look_around look_up where_is comb dig scour
approve rubber_stamp give_the_nod nod clear ratify endorse give_the_go_ahead
reject turn_down throw_out dismiss veto knock_back
assign hand_to give_to pass_to put_on entrust
reassign assign hand_over transfer pass_on
escalate pass_up kick_up raise_the_alarm page
invite ask_to_join bring_along include
join take_part sign_up attend participate
leave quit exit withdraw drop_out
merge fold_together dedupe deduplicate combine put_together
order arrange rank prioritize
filter narrow restrict
group cluster bucket
sum add_up total tot_up
print run_off hard_copy
fill complete fill_in populate
sign put_name_to initial countersign
meeting sit_down huddle one_to_one powwow briefing session call appointment workshop webinar
meeting minutes notes protocol
calendar diary schedule slot planner
available when_can when_are_we free open_slot time_for
reschedule move_to push_to another_time different_time rearrange
invite attendee participant guest loop_in
customer patron user shopper purchaser subscriber clientele
customer account record profile contact
complaint grievance complain unhappy angry
lead prospect inquiry enquiry opportunity
deal contract opportunity closed lost stage
quote estimate proposal offer bid tender
contract agreement paperwork terms
supplier vendor seller manufacturer provider distributor
purchase_order requisition po procurement
invoice bill charge statement billing tab
overdue unpaid outstanding late_payer owe delinquent collections
refund money_back reverse chargeback credit_back reimburse give_back
payment pay settle remit cash
pay transfer wire send money
payout disbursement disburse pay_out
receipt proof_of_purchase slip
expense claim reimburse out_of_pocket per_diem spend
budget spending allowance cap funding
profit margin net_income bottom_line p_l
cash_flow liquidity runway
revenue turnover sales takings income earnings
tax vat gst sales_tax withholding
account ledger bookkeeping gl journal
reconcile match balance tie_out
bank account iban sort_code
salary pay wage compensation paycheck
payslip pay_stub paystub payroll salary
raise increase bump pay_rise
bonus commission incentive
employee worker hire staffer personnel human colleague
org_chart reporting_line hierarchy who_reports
vacation time_off leave pto holiday day_off days_off annual_leave break
sick_leave sick_day ill absence off_sick
parental_leave maternity paternity
shift rota roster schedule work_schedule
timesheet hours punch_in punch_out clock_out clock_in worked
overtime extra_hours
resign quit hand_in_notice leave
offboard leaver departure exit
onboard welcome starter new_hire first_day
performance_review appraisal evaluation feedback
goal objective target okr
training course learning upskill
vacancy opening job position headcount recruit
candidate applicant interviewee resume cv
interview screening talk
referral refer recommend
desk seat workspace hot_desk
room boardroom conference_room meeting_room
equipment laptop hardware device kit
visitor guest front_desk reception
task todo to_do chore action_item follow_up item
project initiative workstream undertaking
milestone deadline due_date target_date
sprint iteration backlog
kanban board column card swimlane
blocker impediment stumbling_block
progress status how_far how_is state
risk threat exposure
stakeholder sponsor decision_maker
ticket support case request inquiry issue complaint
reply respond answer get_back write_back
close resolve wrap_up finish solved fixed
reopen open_again resume
tag label categorize categorise classify flag
priority urgent critical severity importance rush
queue waiting_list line backlog
agent rep support_staff operator
chatbot bot assistant
satisfaction nps csat happiness rating
campaign promotion marketing blast mailshot
newsletter mailing bulletin digest
subscriber recipient mailing_list reader
unsubscribe opt_out stop_sending take_off remove_from
discount coupon voucher promo_code money_off percent_off deal markdown
loyalty points rewards
gift_card voucher
affiliate partner referral
audience segment target cohort
landing_page website page
keyword search_term seo
product item article sku merchandise goods
price cost how_much charge tariff pricing
price reduce mark_down lower raise
catalog range assortment collection products
stock inventory supplies on_hand in_stock out_of_stock sold_out run_out left units
restock reorder replenish top_up stock_up order_more
warehouse depot storeroom fulfilment fulfillment distribution_center
order purchase buy place_an_order checkout
cart basket checkout abandoned
return send_back rma bring_back exchange
exchange swap replace replacement
package parcel box delivery shipment consignment
track where_is trace follow locate status whereabouts
shipping_label postage label stamp
courier carrier delivery_service
deliver drop_off ship
address where_to destination ship_to
delay late behind held_up overdue
customs duties tariff clearance
fleet van truck vehicle
freight cargo haulage
damage broken smashed dented
warranty guarantee
review testimonial rating feedback stars
wishlist save_for_later favorites
email mail message inbox e_mail correspondence note
forward pass_on send_on
draft unsent write_up
attachment attach enclosed file
signature sign_off footer
archive file_away put_away clear_out
spam junk unwanted
unread new_messages not_read
message dm text chat write ping
channel room group_chat
call phone ring dial speak_to
voicemail voice_message
conference video_call zoom call
document doc file paperwork paper text
spreadsheet excel workbook table sheet
presentation deck slides pitch
pdf document file
folder directory location
share give_access collaborate let_see open_up
permission access rights allowed who_can
version revision earlier history
template boilerplate form blank
translate translation put_into language render in_english
summarize sum_up condense tldr gist short_version boil_down
proofread spell_check grammar typo correct
rewrite rephrase paraphrase reword
sign esign signature autograph
contract nda agreement lease
clause provision wording
lawyer attorney solicitor counsel legal
lawsuit litigation case sue
compliance audit regulation policy
policy rule guideline regulation
privacy gdpr personal_data erase forget_me
insurance cover coverage policy premium claim
claim file insurance accident
real_estate property house flat listing home
rent lease tenancy tenant
mortgage home_loan loan installment
donation donate charity contribute
volunteer helper
event gathering conference function gala
ticket admission entry pass
survey poll questionnaire ask_people opinions
vote ballot election
report summary breakdown analysis figures numbers overview
dashboard overview chart graph visual
trend over_time growth development
compare against versus side_by_side
forecast projection predict expect outlook
`;
