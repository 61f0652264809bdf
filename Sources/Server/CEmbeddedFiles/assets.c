// Styles and scripts that pages load.

#include "embedding.h"

EMBEDDED(sealring_css)
#embed "../Pages/sealring.css"
END

EMBEDDED(activity_js)
#embed "../Pages/Assets/activity.js"
END

EMBEDDED(ledger_verify_js)
#embed "../Pages/Assets/ledger-verify.js"
END

EMBEDDED(live_js)
#embed "../Pages/Assets/live.js"
END

EMBEDDED(pages_css)
#embed "../Pages/Assets/pages.css"
END

EMBEDDED(pages_js)
#embed "../Pages/Assets/pages.js"
END

EMBEDDED(plots_js)
#embed "../Pages/Assets/plots.js"
END

EMBEDDED(signin_callbacks_js)
#embed "../Pages/SignIn/signin-callbacks.js"
END

EMBEDDED(signin_codes_js)
#embed "../Pages/SignIn/signin-codes.js"
END

EMBEDDED(signin_desktop_js)
#embed "../Pages/SignIn/signin-desktop.js"
END

EMBEDDED(signin_journey_js)
#embed "../Pages/SignIn/signin-journey.js"
END

EMBEDDED(signin_main_js)
#embed "../Pages/SignIn/signin-main.js"
END

EMBEDDED(signin_markup_js)
#embed "../Pages/SignIn/signin-markup.js"
END

EMBEDDED(signin_passkeys_js)
#embed "../Pages/SignIn/signin-passkeys.js"
END

EMBEDDED(signin_providers_js)
#embed "../Pages/SignIn/signin-providers.js"
END

EMBEDDED(signin_server_js)
#embed "../Pages/SignIn/signin-server.js"
END

EMBEDDED(signin_texts_js)
#embed "../Pages/SignIn/signin-texts.js"
END

EMBEDDED(signin_view_js)
#embed "../Pages/SignIn/signin-view.js"
END

EMBEDDED(signin_waiting_js)
#embed "../Pages/SignIn/signin-waiting.js"
END

EMBEDDED(signin_words_js)
#embed "../Pages/SignIn/signin-words.js"
END
