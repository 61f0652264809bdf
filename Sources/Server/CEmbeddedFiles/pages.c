// The pages: templates and texts.

#include <string.h>

#include "embedding.h"

EMBEDDED(accountActivity_mustache)
#embed "../PageTemplates/Templates/accountActivity.mustache"
END

EMBEDDED(accountCodes_mustache)
#embed "../PageTemplates/Templates/accountCodes.mustache"
END

EMBEDDED(accountEntries_mustache)
#embed "../PageTemplates/Templates/accountEntries.mustache"
END

EMBEDDED(accountMethod_mustache)
#embed "../PageTemplates/Templates/accountMethod.mustache"
END

EMBEDDED(accountMethodRemoval_mustache)
#embed "../PageTemplates/Templates/accountMethodRemoval.mustache"
END

EMBEDDED(accountMethods_mustache)
#embed "../PageTemplates/Templates/accountMethods.mustache"
END

EMBEDDED(accountOverview_mustache)
#embed "../PageTemplates/Templates/accountOverview.mustache"
END

EMBEDDED(accountPassword_mustache)
#embed "../PageTemplates/Templates/accountPassword.mustache"
END

EMBEDDED(accountReport_mustache)
#embed "../PageTemplates/Templates/accountReport.mustache"
END

EMBEDDED(accountSessions_mustache)
#embed "../PageTemplates/Templates/accountSessions.mustache"
END

EMBEDDED(accountSignatures_mustache)
#embed "../PageTemplates/Templates/accountSignatures.mustache"
END

EMBEDDED(adminDevices_mustache)
#embed "../PageTemplates/Templates/adminDevices.mustache"
END

EMBEDDED(adminEntry_mustache)
#embed "../PageTemplates/Templates/adminEntry.mustache"
END

EMBEDDED(adminGraph_mustache)
#embed "../PageTemplates/Templates/adminGraph.mustache"
END

EMBEDDED(adminJourney_mustache)
#embed "../PageTemplates/Templates/adminJourney.mustache"
END

EMBEDDED(adminJourneys_mustache)
#embed "../PageTemplates/Templates/adminJourneys.mustache"
END

EMBEDDED(adminLedger_mustache)
#embed "../PageTemplates/Templates/adminLedger.mustache"
END

EMBEDDED(adminLive_mustache)
#embed "../PageTemplates/Templates/adminLive.mustache"
END

EMBEDDED(adminOverview_mustache)
#embed "../PageTemplates/Templates/adminOverview.mustache"
END

EMBEDDED(adminPlot_mustache)
#embed "../PageTemplates/Templates/adminPlot.mustache"
END

EMBEDDED(adminRealms_mustache)
#embed "../PageTemplates/Templates/adminRealms.mustache"
END

EMBEDDED(adminServer_mustache)
#embed "../PageTemplates/Templates/adminServer.mustache"
END

EMBEDDED(adminSignIn_mustache)
#embed "../PageTemplates/Templates/adminSignIn.mustache"
END

EMBEDDED(adminSignIns_mustache)
#embed "../PageTemplates/Templates/adminSignIns.mustache"
END

EMBEDDED(adminSteps_mustache)
#embed "../PageTemplates/Templates/adminSteps.mustache"
END

EMBEDDED(adminUpload_mustache)
#embed "../PageTemplates/Templates/adminUpload.mustache"
END

EMBEDDED(adminUser_mustache)
#embed "../PageTemplates/Templates/adminUser.mustache"
END

EMBEDDED(adminUsers_mustache)
#embed "../PageTemplates/Templates/adminUsers.mustache"
END

EMBEDDED(adminDoor_mustache)
#embed "../PageTemplates/Templates/adminDoor.mustache"
END

EMBEDDED(adminVerify_mustache)
#embed "../PageTemplates/Templates/adminVerify.mustache"
END

EMBEDDED(consent_mustache)
#embed "../PageTemplates/Templates/consent.mustache"
END

EMBEDDED(consentMessage_mustache)
#embed "../PageTemplates/Templates/consentMessage.mustache"
END

EMBEDDED(consentSignOut_mustache)
#embed "../PageTemplates/Templates/consentSignOut.mustache"
END

EMBEDDED(deviceCode_mustache)
#embed "../PageTemplates/Templates/deviceCode.mustache"
END

EMBEDDED(deviceQuestion_mustache)
#embed "../PageTemplates/Templates/deviceQuestion.mustache"
END

EMBEDDED(error_mustache)
#embed "../PageTemplates/Templates/error.mustache"
END

EMBEDDED(home_mustache)
#embed "../PageTemplates/Templates/home.mustache"
END

EMBEDDED(layout_mustache)
#embed "../PageTemplates/Templates/layout.mustache"
END

EMBEDDED(pager_mustache)
#embed "../PageTemplates/Templates/pager.mustache"
END

EMBEDDED(plain_mustache)
#embed "../PageTemplates/Templates/plain.mustache"
END

EMBEDDED(signIn_mustache)
#embed "../PageTemplates/Templates/signIn.mustache"
END

EMBEDDED(verify_mustache)
#embed "../PageTemplates/Templates/verify.mustache"
END

EMBEDDED(verifyFile_mustache)
#embed "../PageTemplates/Templates/verifyFile.mustache"
END

#define NAMED(name) {#name, EmbeddedFile_##name##_mustache}
static const struct { const char *name; EmbeddedFile (*file)(void); } templates[] = {
  NAMED(accountActivity), NAMED(accountCodes), NAMED(accountEntries), NAMED(accountMethod),
  NAMED(accountMethodRemoval), NAMED(accountMethods), NAMED(accountOverview), NAMED(accountPassword),
  NAMED(accountReport), NAMED(accountSessions), NAMED(accountSignatures), NAMED(adminDevices), NAMED(adminEntry),
  NAMED(adminGraph), NAMED(adminJourney), NAMED(adminJourneys), NAMED(adminLedger), NAMED(adminLive),
  NAMED(adminOverview), NAMED(adminPlot), NAMED(adminRealms), NAMED(adminServer), NAMED(adminSignIn),
  NAMED(adminSignIns), NAMED(adminSteps), NAMED(adminUpload), NAMED(adminUser), NAMED(adminUsers), NAMED(adminDoor),
  NAMED(adminVerify), NAMED(consent), NAMED(consentMessage), NAMED(consentSignOut), NAMED(deviceCode),
  NAMED(deviceQuestion), NAMED(error), NAMED(home), NAMED(layout), NAMED(pager), NAMED(plain), NAMED(signIn),
  NAMED(verify), NAMED(verifyFile),
};

EmbeddedFile EmbeddedFile_template(const char *name) {
  for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
    if (strcmp(templates[i].name, name) == 0) { return templates[i].file(); }
  }
  return (EmbeddedFile){(const uint8_t *)"", 0};
}

// One line for each language, each file followed by a zero byte. English is the first: those who ask for none of the others get it.
EMBEDDED(texts)
#embed "../PageTemplates/Texts/en.json" suffix(, 0,)
#embed "../PageTemplates/Texts/de.json" suffix(, 0,)
#embed "../PageTemplates/Texts/fr.json" suffix(, 0,)
#embed "../PageTemplates/Texts/es.json" suffix(, 0,)
END
