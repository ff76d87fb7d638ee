/** Everyday words about travel, places and the weather; lines as `synonyms.ts` explains. */
export const TRAVEL_WORDS = `
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
late delayed delay behind_schedule on_time punctual hold_up flight_status
far distance long_way kilometers km miles
drive directions car road
plane flight airplane aircraft
weather sky outside outdoors
hot cold warm temperature degrees freeze freezing
warn warning
flood storm hurricane
hotel stay sleep_in overnight bed
parking park
rent hire car
visa passport travel enter
boarding_pass check_in
place restaurant shop cafe bar nearby
tide sea beach
flight fly hop_over jet_off flying_to fly_out cheapest_way_to_fly get_on_a_plane
flight_status on_schedule plane_late plane_landed has_landed touch_down is_my_plane running_on_time take_off_on_time
hotel somewhere_to_crash place_to_crash roof_over_my_head bed_for_the_night for_the_night double_room twin_room single_room spend_the_night bed_and_breakfast
rental_car rent_a_car four_wheels set_of_wheels hire_a_car drive_ourselves drive_myself convertible suv wheels
train rail by_rail by_train railroad rail_connection
taxi drive_me_home drive_me pick_me_up take_me_home take_me_to get_me_home give_me_a_lift need_a_lift ride_home bring_me_home too_drunk_to_drive drive_us_home
itinerary travel_plans next_on_my_trip where_am_i_staying whole_trip my_bookings what_have_we_booked
visa papers travel_papers allowed_into get_into_the_country enter_the_country entry_rules
boarding_pass check_me_in check_us_in window_seat aisle_seat online_check_in
latitude longitude lat_long lat_lng lat lng gps_position pinpoint coordinates on_the_map
reverse_geocode coordinates_into_an_address nearest_address where_exactly_is which_address what_is_at photo_was_taken
directions how_do_i_get how_do_we_get shortest_way find_my_way fastest_way quickest_way
travel_times how_far_apart which_is_closest closest_to how_long_from far_from
petrol_station gas_station filling_station fill_up fill_up_the_tank tank_up anywhere_near somewhere_near where_can_i_get where_can_i_buy where_can_i around_the_corner cash_machine atm points_of_interest
opening_hours opening_times do_they_open do_they_close until_when open_till are_they_open how_late closing_time still_be_open
search_places place_details bakery butcher florist bookshop hardware_store
jam traffic gridlock bumper_to_bumper roadworks backed_up road_clear tailback motorway highway standstill stuck_in_traffic in_a_jam stuck_on the_way_clear accident
elevation how_high how_high_up high_up above_sea_level metres_up summit steep mountain hill
time_zone o_clock what_o_clock what_time_is_it time_over_there hours_ahead hours_behind time_difference too_late_to_call middle_of_the_night
current_weather is_it_raining like_outside like_out_there need_a_coat need_a_jacket nice_out windy wind conditions_right_now rainy
weather_forecast will_it_rain going_to_rain take_an_umbrella need_an_umbrella weather_be_like will_it_snow stay_dry barbecue will_it_be_sunny get_wet
past_weather did_it_rain did_it_snow was_it_cold was_it_hot how_hot_was_it how_cold_was_it weather_was_like was_the_weather how_much_rain was_it_raining
severe_weather storm batten_down storm_coming flooding heatwave heat_wave thunderstorm tornado blizzard hurricane gale
air_quality smog wear_a_mask fumes fine_dust exhaust ozone haze air_clean asthma go_for_a_breath pollution
sunrise sun_goes_down sun_go_down sun_comes_up sun_come_up sun_sets get_dark gets_dark it_gets_light get_light nightfall first_light golden_hour daybreak
tides low_water high_water under_my_keel keel ebb enough_water run_aground mudflats flood_tide tidal
`;
