/** Everyday words about daily life: home, health, school, food, housing; lines as `synonyms.ts` explains. */
export const DAILY_LIFE_WORDS = `
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
unit measure
birthday anniversary
gift present
charity donation donate
property house home apartment flat real_estate place_to_live residence rent housing
tenant renter
landlord owner
old stale outdated obsolete
big large
doctor dentist hospital clinic medical practice surgery physician specialist appointment see
lab laboratory
medicine medication drug drugs aspirin pill pills tablets
sports workout exercise run running cycling swimming gym jog swim bike
equation math algebra formula solve maths
define definition meaning dictionary mean word
garden plants water sprinkler
electricity energy consumption meter
shopping groceries grocery supermarket
doctor physician knee ankle shoulder tooth skin stomach injury ache pain fever
meal food toast cheese rice soup cake cereal sandwich vegetable dessert
mother father dad parent friend wife husband brother sister contact
appointment doctor dentist visit checkup
bed_time alarm wake
shirt clothes clothing
heating radiator
dim bright brightness
kitchen bedroom bathroom room
tip gratuity
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
camera see picture security
blind curtain shutter
garage gate
refill more_pills running_out
lab test results
interact together mix combine
steps walk walked
pharmacy drugstore chemist
book novel read library
delivery takeaway takeout bring_food home
groceries shopping_list
lamp too_dark pitch_dark pitch_black dark_in_here lights_out too_bright light_up see_anything
thermostat freezing_in too_cold too_hot chilly shivering boiling make_it_warmer cold_in_here hot_in_here turn_the_heating_up warm_up_the_room turn_up_the_heat freezing
humidity humid damp how_warm_is_the how_cold_is_the room_temperature muggy
door_lock smart_lock lock_the_door did_i_lock lock_up let_them_in let_him_in let_her_in front_door bolt_the_door
security_camera at_the_door driveway porch backyard have_a_peek doorstep
smart_home list_devices smart_home_devices still_switched_on low_battery batteries battery flat_battery
activate_scene movie_night good_morning good_night going_to_bed goodnight bedtime time_for_bed set_the_mood make_it_cosy cosy_evening romantic
vacuum crumb clean_the_floor dirty_floor floor_is_dirty dog_hair cat_hair dust_bunnies sweep_the_floor hoover floors
blinds shutter shade in_my_face in_my_eyes glare dazzle sun_blinds let_the_light_in let_some_light_in blinded
electricity how_much_juice power_bill power_usage kilowatt kwh how_much_power watt burn_through electric
garage_door shut_the_garage garage_open garage_shut
water_the_garden water_the_lawn thirsty thirsty_plants dry_lawn flower_bed flower_beds parched need_watering needs_watering water_my
doctor get_checked have_it_looked_at back_hurts my_knee feel_ill feeling_sick not_feeling_well rash sore_throat cough headache toothache dermatologist dermatology cardiologist check_up ache see_somebody_about physician
prescribed meds my_meds what_am_i_taking which_pills which_tablets medicines_do_i which_medicine
refill out_of_pills running_out_of_pills last_pill more_tablets running_low almost_out low_on box_is_empty nearly_out more_medicine
medicine ibuprofen paracetamol aspirin antibiotic insulin penicillin blood_thinner statin painkiller metformin cortisone
taken_together take_together together_with take_with mix_with with_alcohol interact safely_combine clash
lab_result blood_work blood_values bloods cholesterol blood_count back_from_the_lab blood_sugar
log_meal calories nutrient food_diary had_for_breakfast had_for_lunch had_for_dinner count_calories just_ate was_eaten snacked
workout went_for_a_run hit_the_gym worked_out jogged lifted_weights yoga pilates bike_ride went_swimming cycled
steps did_i_walk have_i_walked on_my_feet moved_enough active_minutes have_i_moved daily_goal
sleep did_i_sleep how_did_i_sleep shut_eye shuteye tossed_and_turned restless_night was_my_night lie_awake awake slept_badly
vaccination jab booster tetanus measles hepatitis rabies polio flu_shot immunized covid_shot needle
pharmacy open_at_night all_night_chemist chemist get_medicine emergency_duty
enrolled_in which_classes classes_am_i this_semester this_term semester my_classes
create_assignment assignment_in_a_course set_homework give_the_class have_the_class worksheet give_my_class
hand_in turn_in hand_it_in my_essay finished_essay give_in
grade b_plus a_minus a_plus full_marks give_a_mark out_of_ten essay feedback_for_work
get_grades grades_of_a_student school_report report_card doing_at_school doing_in_school did_she_pass did_he_pass gpa school_marks
attendance attended absent missing_from missing_from_class missing_from_my_class was_missing were_missing truant skipped_class roll_call call_the_roll bunked_off no_show not_in_class
enroll_student join_the_class put_in_the_class into_the_course to_my_class to_the_course join_the_course
quiz multiple_choice test_their_knowledge test_the_class exam_questions pop_quiz trivia_quiz
search_books books_in_a_library library_book borrow anything_to_read novels_by books_by books_about books_on something_to_read on_the_shelf
reserve_book reserve_a_book put_a_hold set_aside keep_for_me put_aside save_it_for_me
pronunciation pronounce what_does_the_word meaning_of spelling spelled spelt another_word_for mean_exactly
equation find_x get_x solve_for for_x what_is_x quadratic you_get_x algebra x_squared value_of_x
cook what_can_i_cook leftovers chickpea spinach lentil tofu vegan vegetarian gluten_free no_dairy for_dinner_tonight left_in_the_fridge in_the_fridge ingredients
reserve_a_table restaurant_table table_at_a_restaurant table_for_two table_for_four table_for dine go_out_for_dinner out_for_dinner candlelit eat_out
food_delivery hungry starving order_in lazy too_lazy_to_cook pizza margherita sushi burger kebab curry noodles takeaway to_my_door peckish
groceries milk butter flour sugar bread cheese banana toilet_paper out_of_milk we_re_out_of ran_out_of run_out_of coffee_and_milk need_milk something_from_the_shop
homes_for_sale search_properties place_to_live somewhere_to_live live_in bedroom_flat bungalow studio_flat two_bedroom three_bedroom new_home looking_for_a_flat buy_a_house
house_worth is_my_house is_our_house would_our_house could_i_sell sell_for appraise property_value worth
repair heating_broke heating_is_broken drips dripping tap toilet clogged clog drain mould mold no_hot_water boiler burst_pipe landlord_must_know caretaker doesn_t_work stopped_working is_dead faulty plumbing
book_flight plane_ticket plane_tickets get_me_a_ticket seats_on_the_flight get_us_on_the
cancel_flight not_flying won_t_be_flying can_t_fly cancel_my_flight
book_hotel take_the_room get_us_a_room reserve_a_room hotel_reservation
cancel_appointment cancel_doctor doctor_s_appointment dentist_s_appointment
connected_gadgets connected_devices list_devices what_gadgets gadgets_do_i_have which_devices
movie_info what_s_on_tonight
cloudy overcast drizzle drizzly foggy weather sunny hail sleet
queue_on_the motorway_jam traffic rush_hour road_works
swim swam jog lap laps push_ups sit_ups workout squats
protein carbs carbohydrates kcal meal snack porridge
nap doze snore sleep insomnia slept_well
shutters lower_the_shutters raise_the_shutters roll_down_the let_down_the blinds make_it_dark needs_it_dark
thermostat stuffy baking roasting sweltering freezing_cold bitterly_cold like_an_oven like_a_fridge
repair out_of_order on_the_blink packed_up given_up_the_ghost lift elevator_broken won_t_flush keeps_dripping
doctor killing_me in_agony can_t_sleep_for sprained twisted_my_ankle broken_arm swollen dizzy
workout i_ran i_swam i_cycled i_jogged i_lifted i_worked_out
film_or_series something_to_watch what_to_watch good_film watch_a_film film_with movie_with
take_a_picture snap_a_picture what_is_outside anybody_outside security_camera
air_conditioning thermostat aircon cool_it_down cool_the_room too_warm
`;
