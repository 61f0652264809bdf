// The package that `sealring init app` writes: Examples/App.

#include "embedding.h"

EMBEDDED(app_Package_swift)
#embed "../../../Examples/App/Package.swift"
END

EMBEDDED(app_Payments_swift)
#embed "../../../Examples/App/Sources/Payments/Payments.swift"
END

EMBEDDED(app_PaymentsTests_swift)
#embed "../../../Examples/App/Tests/PaymentsTests/PaymentsTests.swift"
END

EMBEDDED(app_test_yml)
#embed "../../../Examples/App/.github/workflows/test.yml"
END

EMBEDDED(app_gitignore)
#embed "../../../Examples/App/.gitignore"
END

EMBEDDED(app_Containerfile)
#embed "../../../Examples/App/Containerfile"
END

EMBEDDED(app_README_md)
#embed "../../../Examples/App/README.md"
END
