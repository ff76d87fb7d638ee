/** Everyday words about software and its operation; lines as `synonyms.ts` explains. */
export const TECHNICAL_WORDS = `
deploy ship release roll_out push promote go_live publish
rollback revert undo back_out previous_version go_back
build compile package ci pipeline
test check verify unit_test suite
run execute launch trigger kick_off invoke start
restart reboot bounce reload recycle power_cycle
stop kill terminate shut_down halt power_off
server machine host box instance node vm compute
container docker image pod
kubernetes cluster k8s namespace
scale resize grow shrink more_capacity bigger replicas
load_balancer balancer traffic
network subnet vpc vpn
ip address
dns domain record nameserver hostname
certificate ssl tls https expire
secret credential password key token api_key
rotate renew roll replace refresh
encrypt scramble cipher
decrypt decode unscramble
hash checksum digest fingerprint
encode base64 serialize
format prettify pretty_print beautify tidy
lint style code_quality
parse read extract
validate check valid verify well_formed
database db table schema sql
query select sql question rows
migration migrate schema upgrade
index speed_up
row record entry
column field attribute
backup back_up snapshot save_copy
restore recover bring_back get_back undelete
replicate copy mirror
bucket storage blob s3 object
queue message topic pubsub
event stream kafka
cache cached cdn purge flush
log logs trace output journal
tail follow watch
error exception crash stack_trace failure bug
metric statistic measurement kpi telemetry
latency slow response_time speed performance lag
cpu processor memory ram load
disk space storage
uptime availability reachable online
health status alive check heartbeat
incident outage emergency downtime production_issue
alert alarm page warning notification
on_call oncall pager duty
silence mute snooze suppress ignore acknowledge
acknowledge ack confirm
postmortem retrospective root_cause
runbook playbook procedure
repository repo codebase project source
branch fork line
commit change revision check_in
pull_request merge_request pr code_review patch
merge integrate land combine
review approve look_over feedback
issue bug ticket defect problem
release version tag milestone
changelog release_notes what_changed
diff changes difference compare
code source snippet program script
dependency library package module
license licence
feature_flag toggle switch rollout experiment
variable env configuration config setting
webhook callback hook notify
api endpoint interface rest
request http call fetch
rate_limit throttle quota limit
cron job schedule scheduled recurring periodic timer
worker function lambda serverless
user account member login profile
role permission privilege access rights
grant allow authorize
revoke withdraw take_away remove access
disable deactivate suspend lock freeze block
enable activate turn_on reinstate
password passcode forgot reset
login sign_in log_in log_on authenticate
session logged_in signed_in logout
two_factor mfa 2fa authenticator one_time_code otp
sso single_sign_on saml
invite add_user new_user onboard
group team membership
audit trail who_did history log activity
vulnerability cve weakness security_hole flaw
scan check inspect security
malware virus ransomware infected
phishing scam fake suspicious fraud
firewall port rule ingress
breach leak compromise stolen hacked
model ai machine_learning ml llm
train fit learn model
predict inference classify score
embedding vector semantic
image picture photo vision
detect recognize identify spot find
ocr read_text scan text extract
transcribe speech_to_text dictate write_down
speak text_to_speech voice read_aloud
sentiment mood tone feeling opinion
keyword topic entity extract
scrape crawl extract website web
screenshot capture snapshot
website site page web_page url link
shorten short_link url link
qr_code barcode qr
convert change transform turn_into switch
compress zip shrink smaller reduce archive
unzip extract unpack decompress
resize scale dimensions smaller
crop cut trim
rotate turn flip
background cut_out remove
watermark stamp logo
random pick roll dice draw raffle
uuid guid unique_id identifier
regex pattern match
calculate compute math work_out arithmetic
convert unit measure
chart graph plot draw visualize
diagram flowchart draw
statistics average mean median
dataset data_set data table
export download save dump extract get_out
import upload load bring_in ingest
sync synchronize in_sync mirror
experiment split_test ab_test variant
anomaly outlier spike unusual
cohort retention churn
visitor traffic pageview hits
firmware software update upgrade
printer print toner
ticket helpdesk it_support
`;
