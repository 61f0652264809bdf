// The journeys of every realm.

#include <string.h>

#include "embedding.h"

EMBEDDED(ApproveTransaction_journey_json)
#embed "../JourneyFiles/journeys/ApproveTransaction.journey.json"
END

EMBEDDED(BindDevice_journey_json)
#embed "../JourneyFiles/journeys/BindDevice.journey.json"
END

EMBEDDED(BindDeviceAttested_journey_json)
#embed "../JourneyFiles/journeys/BindDeviceAttested.journey.json"
END

EMBEDDED(BindDeviceBiometric_journey_json)
#embed "../JourneyFiles/journeys/BindDeviceBiometric.journey.json"
END

EMBEDDED(BindDeviceBiometricOrCredential_journey_json)
#embed "../JourneyFiles/journeys/BindDeviceBiometricOrCredential.journey.json"
END

EMBEDDED(BindDeviceNoPin_journey_json)
#embed "../JourneyFiles/journeys/BindDeviceNoPin.journey.json"
END

EMBEDDED(CombinedRegister_journey_json)
#embed "../JourneyFiles/journeys/CombinedRegister.journey.json"
END

EMBEDDED(Login_journey_json)
#embed "../JourneyFiles/journeys/Login.journey.json"
END

EMBEDDED(OathRegister_journey_json)
#embed "../JourneyFiles/journeys/OathRegister.journey.json"
END

EMBEDDED(OathSignIn_journey_json)
#embed "../JourneyFiles/journeys/OathSignIn.journey.json"
END

EMBEDDED(PasskeyOrPassword_journey_json)
#embed "../JourneyFiles/journeys/PasskeyOrPassword.journey.json"
END

EMBEDDED(ProveStrongestFactor_journey_json)
#embed "../JourneyFiles/journeys/ProveStrongestFactor.journey.json"
END

EMBEDDED(PushBiometric_journey_json)
#embed "../JourneyFiles/journeys/PushBiometric.journey.json"
END

EMBEDDED(PushCode_journey_json)
#embed "../JourneyFiles/journeys/PushCode.journey.json"
END

EMBEDDED(PushNumber_journey_json)
#embed "../JourneyFiles/journeys/PushNumber.journey.json"
END

EMBEDDED(PushRegister_journey_json)
#embed "../JourneyFiles/journeys/PushRegister.journey.json"
END

EMBEDDED(PushSignIn_journey_json)
#embed "../JourneyFiles/journeys/PushSignIn.journey.json"
END

EMBEDDED(SignIn_journey_json)
#embed "../JourneyFiles/journeys/SignIn.journey.json"
END

EMBEDDED(SignTransaction_journey_json)
#embed "../JourneyFiles/journeys/SignTransaction.journey.json"
END

EMBEDDED(StepUp_journey_json)
#embed "../JourneyFiles/journeys/StepUp.journey.json"
END

EMBEDDED(Usernameless_journey_json)
#embed "../JourneyFiles/journeys/Usernameless.journey.json"
END

EMBEDDED(WebAuthnRegister_journey_json)
#embed "../JourneyFiles/journeys/WebAuthnRegister.journey.json"
END

EMBEDDED(WebAuthnSignIn_journey_json)
#embed "../JourneyFiles/journeys/WebAuthnSignIn.journey.json"
END

#define NAMED(name) {#name, EmbeddedFile_##name##_journey_json}
static const struct { const char *name; EmbeddedFile (*file)(void); } journeys[] = {
  NAMED(ApproveTransaction), NAMED(BindDevice), NAMED(BindDeviceAttested), NAMED(BindDeviceBiometric),
  NAMED(BindDeviceBiometricOrCredential), NAMED(BindDeviceNoPin), NAMED(CombinedRegister), NAMED(Login),
  NAMED(OathRegister), NAMED(OathSignIn), NAMED(PasskeyOrPassword), NAMED(ProveStrongestFactor),
  NAMED(PushBiometric), NAMED(PushCode), NAMED(PushNumber), NAMED(PushRegister), NAMED(PushSignIn), NAMED(SignIn),
  NAMED(SignTransaction), NAMED(StepUp), NAMED(Usernameless), NAMED(WebAuthnRegister), NAMED(WebAuthnSignIn),
};

EmbeddedFile EmbeddedFile_journey(const char *name) {
  for (size_t i = 0; i < sizeof journeys / sizeof *journeys; i++) {
    if (strcmp(journeys[i].name, name) == 0) { return journeys[i].file(); }
  }
  return (EmbeddedFile){(const uint8_t *)"", 0};
}
