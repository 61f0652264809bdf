// The journeys of every realm.

#include "embedding.h"

EMBEDDED(ApproveTransaction_journey_json)
#embed "../JourneyServer/journeys/ApproveTransaction.journey.json"
END

EMBEDDED(BindDevice_journey_json)
#embed "../JourneyServer/journeys/BindDevice.journey.json"
END

EMBEDDED(BindDeviceAttested_journey_json)
#embed "../JourneyServer/journeys/BindDeviceAttested.journey.json"
END

EMBEDDED(BindDeviceBiometric_journey_json)
#embed "../JourneyServer/journeys/BindDeviceBiometric.journey.json"
END

EMBEDDED(BindDeviceBiometricOrCredential_journey_json)
#embed "../JourneyServer/journeys/BindDeviceBiometricOrCredential.journey.json"
END

EMBEDDED(BindDeviceNoPin_journey_json)
#embed "../JourneyServer/journeys/BindDeviceNoPin.journey.json"
END

EMBEDDED(CombinedRegister_journey_json)
#embed "../JourneyServer/journeys/CombinedRegister.journey.json"
END

EMBEDDED(Login_journey_json)
#embed "../JourneyServer/journeys/Login.journey.json"
END

EMBEDDED(OathRegister_journey_json)
#embed "../JourneyServer/journeys/OathRegister.journey.json"
END

EMBEDDED(OathSignIn_journey_json)
#embed "../JourneyServer/journeys/OathSignIn.journey.json"
END

EMBEDDED(PasskeyOrPassword_journey_json)
#embed "../JourneyServer/journeys/PasskeyOrPassword.journey.json"
END

EMBEDDED(ProveStrongestFactor_journey_json)
#embed "../JourneyServer/journeys/ProveStrongestFactor.journey.json"
END

EMBEDDED(PushBiometric_journey_json)
#embed "../JourneyServer/journeys/PushBiometric.journey.json"
END

EMBEDDED(PushCode_journey_json)
#embed "../JourneyServer/journeys/PushCode.journey.json"
END

EMBEDDED(PushNumber_journey_json)
#embed "../JourneyServer/journeys/PushNumber.journey.json"
END

EMBEDDED(PushRegister_journey_json)
#embed "../JourneyServer/journeys/PushRegister.journey.json"
END

EMBEDDED(PushSignIn_journey_json)
#embed "../JourneyServer/journeys/PushSignIn.journey.json"
END

EMBEDDED(SignIn_journey_json)
#embed "../JourneyServer/journeys/SignIn.journey.json"
END

EMBEDDED(SignTransaction_journey_json)
#embed "../JourneyServer/journeys/SignTransaction.journey.json"
END

EMBEDDED(StepUp_journey_json)
#embed "../JourneyServer/journeys/StepUp.journey.json"
END

EMBEDDED(Usernameless_journey_json)
#embed "../JourneyServer/journeys/Usernameless.journey.json"
END

EMBEDDED(WebAuthnRegister_journey_json)
#embed "../JourneyServer/journeys/WebAuthnRegister.journey.json"
END

EMBEDDED(WebAuthnSignIn_journey_json)
#embed "../JourneyServer/journeys/WebAuthnSignIn.journey.json"
END
