// What pages of old clients run for a passkey.

#include "embedding.h"

EMBEDDED(webauthn_create_js)
#embed "../JourneyNodes/WebAuthn/Scripts/webauthn-create.js"
END

EMBEDDED(webauthn_get_js)
#embed "../JourneyNodes/WebAuthn/Scripts/webauthn-get.js"
END

EMBEDDED(webauthn_waiting_js)
#embed "../JourneyNodes/WebAuthn/Scripts/webauthn-waiting.js"
END

EMBEDDED(webauthn_js)
#embed "../JourneyNodes/WebAuthn/Scripts/webauthn.js"
END
