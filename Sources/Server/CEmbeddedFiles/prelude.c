// What journey scripts find around them.

#include "embedding.h"

EMBEDDED(callbacks_js)
#embed "../JourneyScripts/Prelude/callbacks.js"
END

EMBEDDED(legacy_js)
#embed "../JourneyScripts/Prelude/legacy.js"
END

EMBEDDED(run_js)
#embed "../JourneyScripts/Prelude/run.js"
END

EMBEDDED(services_js)
#embed "../JourneyScripts/Prelude/services.js"
END

EMBEDDED(state_js)
#embed "../JourneyScripts/Prelude/state.js"
END
