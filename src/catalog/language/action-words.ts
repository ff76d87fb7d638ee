/** Everyday words about what is done: to create, find, change, send, stop; lines as `synonyms.ts` explains. */
export const ACTION_WORDS = `
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
subscribe sign_up signup join enroll enrol register opt_in
unsubscribe opt_out leave stop_getting
archive file_away store put_away shelve
restore recover undelete bring_back get_back undo revert roll_back rollback deployment
mute silence quiet shut_up
remind reminder nudge dont_forget dont_let_forget alarm
favourite favorite heart upvote star
sign signature autograph e_sign esign
deploy release roll_out rollout ship push_live go_live push_out publish launch put_into_production push production version
delete do_away_with axe throw_in_the_bin give_the_chop wipe_out get_shot make_disappear
create whip_up knock_up throw_together rustle_up come_up_with put_together draft_up
update bring_up_to_date freshen_up brush_up put_right straighten_out
show run_me_through walk_me_through talk_me_through fill_me_in let_me_see have_a_look
search rummage root_out ferret_out sniff_out hunt_around poke_around
send fire_across ping_over drop_over pop_over get_it_to
start get_the_ball_rolling set_in_motion get_off_the_ground get_underway
stop pull_the_plug put_an_end_to call_a_halt cease bring_to_a_stop
cancel give_up_on pull_out_of changed_my_mind change_of_plan change_of_plans
pay stump_up fork_out fork_over shell_out foot_the_bill pick_up_the_tab
buy get_myself splash_out snap_up pick_up_some treat_myself
refund get_my_money_back see_my_money_again
reschedule another_day some_other_day a_week_later put_off_until move_to_another_day
remind refresh_my_memory keep_me_posted
summarize short_and_sweet cut_a_long_story bare_bones in_plain_words cliff_notes highlights
check double_check cross_check make_sure_that look_into
compare stack_up spot_the_difference set_against
approve okay_it wave_through sign_it_off give_my_blessing
reject shoot_down send_packing give_the_thumbs_down knock_back
merge fold_into put_in_one roll_into_one
share pass_round pass_around let_have_access
schedule set_a_date set_a_time fix_a_date fix_a_time line_up
assign leave_it_to pass_the_buck make_it_his make_it_hers
list run_down reel_off count_off
count head_count tally_up count_up
translate put_it_into turn_it_into_english
lock batten seal lock_down
`;
