"""Which of Apprise's services a channel may use.

A service that is in neither list is refused: it came with a newer Apprise, and somebody has to
read its source first. A test compares the lists with the installed version.
"""

from collections.abc import Mapping

from embed.errors import InvalidInput

# These send by HTTP with `requests`, in the thread that asks them to, and Email with smtplib. So
# `embed.outbound.guard` sees every connection that they open.
ALLOWED = frozenset(
    """
    46Elks AfricasTalking AppriseAPI Bark BetterStack BlueSky Brevo BulkSMS BulkVS BurstSMS
    Chanify Clickatell ClickSend Cliq CM D7Networks Dapnet DingTalk Discord Dot Eight00com
    Email Emby Enigma2 Evolution Exotel Feishu FireHydrant Flock Flowtriq Fluxer Form
    FreeMobile GitHub GoAlert GoogleChat Gorush Gotify Groundmail GroupMe Guilded Gupshup
    HomeAssistant HttpSMS HumHub IFTTT ILert IncidentIO Infobip Jellyfin Jira Join JSON
    KakaoTalk Kaleyra Kavenegar Kook Kumulos Lametric Lark Lauther LFGAlarm Line MailerSend
    Mailgun Mastodon Matrix Mattermost MessageBird Misskey MobileMessage MSG91 Nextcloud
    NextcloudTalk Notica Notifiarr Notifico Notifyre Ntfy Octopush Office365 OneBot OneSignal
    Opsgenie PagerDuty PagerTree ParsePlatform Pinglet Pingram Plivo Postmark Prowl PushBullet
    PushDeer Pushed Pushjet PushMe Pushover Pushplus PushSafer PushWard Pushy QQ Reddit Resend
    Revolt RingCentral RocketChat Ryver SendGrid SendPulse ServerChan SerwerSMS SES Seven SFR
    SignalAPI Signalgrid SIGNL4 SimplePush Sinch Slack SMSC SMSEagle SMSManager SMSTunnel
    SMTP2Go SNS SparkPost Spike Splunk Spugpush Squadcast Stackfield Streamlabs Synology
    TechulusPush Telegram Telesign Telnyx Threema Trigv Twilio Twist Twitter Viber Voipms
    Vonage WebexTeams WeChat WeComBot Whapi WhatsApp Workflows WPush WxPusher XBMC XMatters
    XML YouLMK Zalo Zoom Zulip
    """.split()  # noqa: SIM905  # a list literal takes a line for each of 163 names
)

# Why a service is refused, after a colon.
_LOCAL = InvalidInput("it shows messages on the server itself")
_FILES = InvalidInput("it reads files of the server")
_OTHER_PROTOCOLS = InvalidInput("it opens connections that are not checked here")
UNKNOWN = InvalidInput("nobody has checked what it does")

REFUSED: Mapping[str, InvalidInput] = {
    **dict.fromkeys(["Blink1", "DBus", "GLib", "Gnome", "MacOSX", "Syslog", "Windows"], _LOCAL),
    **dict.fromkeys(["FCM", "Vapid"], _FILES),
    **dict.fromkeys(
        [
            "AMQP",
            "Aprs",
            "DeltaChat",
            "Growl",
            "IRC",
            "MQTT",
            "Nostr",
            "RSyslog",
            "SMPP",
            "SessionOGS",
            "XMPP",
        ],
        _OTHER_PROTOCOLS,
    ),
}

# Arguments, as Apprise parses them from an address, with which an allowed service reads files of
# the server: message templates, and keys of PGP.
FILE_ARGUMENTS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        ("Discord", "Guilded", "Slack", "Telegram", "Workflows"), frozenset({"template"})
    ),
    "Email": frozenset({"pgp_key", "pgp_privkey", "pgp_mode", "use_wkd"}),
}
