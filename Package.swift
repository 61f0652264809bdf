// swift-tools-version: 6.2
import PackageDescription

/// Settings that every target of ours builds with. `scripts/test` asks for warnings as errors; a plain
/// `swift build` does not, so that a newer compiler's new warning stops nobody.
let house: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (Context.environment["SEALRING_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : [])

func module(_ layer: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: house)
}

func tests(
  _ layer: String, _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(layer)/\(name)", resources: resources,
    swiftSettings: house)
}

extension Target.Dependency {
  /// A system library that is there on Linux only.
  static func linux(_ name: String) -> Self { .target(name: name, condition: .when(platforms: [.linux])) }

  static let crypto: Self = .product(name: "Crypto", package: "swift-crypto")
  static let cryptoExtras: Self = .product(name: "CryptoExtras", package: "swift-crypto")
  static let x509: Self = .product(name: "X509", package: "swift-certificates")
  static let asn1: Self = .product(name: "SwiftASN1", package: "swift-asn1")
  static let logging: Self = .product(name: "Logging", package: "swift-log")
  static let hummingbird: Self = .product(name: "Hummingbird", package: "hummingbird")
  static let hummingbirdCore: Self = .product(name: "HummingbirdCore", package: "hummingbird")
  static let hummingbirdTLS: Self = .product(name: "HummingbirdTLS", package: "hummingbird")
  static let hummingbirdHTTP2: Self = .product(name: "HummingbirdHTTP2", package: "hummingbird")
  static let grdb: Self = .product(name: "GRDB", package: "GRDB.swift")
  /// On Apple platforms the keychain takes its place.
  static let grdbForFiles: Self = .product(
    name: "GRDB", package: "GRDB.swift", condition: .when(platforms: [.linux]))
  static let lifecycle: Self = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
  static let unixSignals: Self = .product(name: "UnixSignals", package: "swift-service-lifecycle")
  static let nioCore: Self = .product(name: "NIOCore", package: "swift-nio")
  static let nioPosix: Self = .product(name: "NIOPosix", package: "swift-nio")
  static let nioTLS: Self = .product(name: "NIOTLS", package: "swift-nio")
  static let nioHTTP1: Self = .product(name: "NIOHTTP1", package: "swift-nio")
  static let nioHTTP2: Self = .product(name: "NIOHTTP2", package: "swift-nio-http2")
  static let nioHTTPTypes: Self = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
  static let nioSSL: Self = .product(name: "NIOSSL", package: "swift-nio-ssl")
  static let httpClient: Self = .product(name: "AsyncHTTPClient", package: "async-http-client")
  static let httpTypes: Self = .product(name: "HTTPTypes", package: "swift-http-types")
  static let arguments: Self = .product(name: "ArgumentParser", package: "swift-argument-parser")
}

let package = Package(
  name: "sealring",
  platforms: [.macOS(.v14), .iOS(.v16)],
  products: [
    .executable(name: "sealring", targets: ["sealring"]),
    .executable(name: "sealring-server", targets: ["sealring-server"]),
    .library(name: "PingLogger", targets: ["PingLogger"]),
    .library(name: "PingStorage", targets: ["PingStorage"]),
    .library(name: "PingNetwork", targets: ["PingNetwork"]),
    .library(name: "PingCommons", targets: ["PingCommons"]),
    .library(name: "PingDeviceId", targets: ["PingDeviceId"]),
    .library(name: "PingDeviceProfile", targets: ["PingDeviceProfile"]),
    .library(name: "GeoClueLocation", targets: ["GeoClueLocation"]),
    .library(name: "PingOrchestrate", targets: ["PingOrchestrate"]),
    .library(name: "PingJourneyPlugin", targets: ["PingJourneyPlugin"]),
    .library(name: "PingJourney", targets: ["PingJourney"]),
    .library(name: "PingOidc", targets: ["PingOidc"]),
    .library(name: "PingBinding", targets: ["PingBinding"]),
    .library(name: "PingFido", targets: ["PingFido"]),
    .library(name: "PingDeviceClient", targets: ["PingDeviceClient"]),
    .library(name: "PingPush", targets: ["PingPush"]),
    .library(name: "PingTamperDetector", targets: ["PingTamperDetector"]),
    .library(name: "PingOath", targets: ["PingOath"]),
    .library(name: "FRAuth", targets: ["FRAuth"]),
    .library(name: "FRDeviceBinding", targets: ["FRDeviceBinding"]),
    .library(name: "DeviceKeys", targets: ["DeviceKeys"]),
    .library(name: "DeviceKeysTPM", targets: ["DeviceKeysTPM"]),
    .library(name: "DeviceKeysApple", targets: ["DeviceKeysApple"]),
    .library(name: "UserVerification", targets: ["UserVerification"]),
    .library(name: "UserVerificationFprintd", targets: ["UserVerificationFprintd"]),
    .library(name: "UserVerificationPAM", targets: ["UserVerificationPAM"]),
    .library(name: "WebAuthnAuthenticator", targets: ["WebAuthnAuthenticator"]),
    .library(name: "PrivateFiles", targets: ["PrivateFiles"]),
    .library(name: "Bytes", targets: ["Bytes"]),
    .library(name: "StrictJSON", targets: ["StrictJSON"]),
    .library(name: "JOSE", targets: ["JOSE"]),
    .library(name: "SigningTransactions", targets: ["SigningTransactions"]),
    .library(name: "KeyAttestation", targets: ["KeyAttestation"]),
    .library(name: "PushFormats", targets: ["PushFormats"]),
    .library(name: "QRCodes", targets: ["QRCodes"]),
    .library(name: "QRCodeReader", targets: ["QRCodeReader"]),
    .library(name: "EvidenceLedger", targets: ["EvidenceLedger"]),
    .library(name: "OATH", targets: ["OATH"]),
    .library(name: "WebAuthnFormats", targets: ["WebAuthnFormats"]),
    .library(name: "WebAuthnVerification", targets: ["WebAuthnVerification"]),
    .library(
      name: "JourneyServer",
      targets: ["JourneyServer", "JourneyNodes", "JourneyEngine", "JourneyStore"]),
    .library(name: "SealringTesting", targets: ["SealringTesting"]),
    .library(name: "SoftwareTPM", targets: ["SoftwareTPM"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // System libraries, each in a target of its own: who takes PingBinding alone needs none of them.
    .systemLibrary(
      name: "CArgon2", path: "Sources/System/CArgon2", pkgConfig: "libargon2",
      providers: [.apt(["libargon2-dev"]), .brew(["argon2"])]),
    .systemLibrary(
      name: "CTSS2", path: "Sources/System/CTSS2", pkgConfig: "tss2-esys tss2-tctildr tss2-mu tss2-rc",
      providers: [.apt(["libtss2-dev"]), .brew(["tpm2-tss"])]),
    .systemLibrary(
      name: "CPAM", path: "Sources/System/CPAM", providers: [.apt(["libpam0g-dev"])]),
    .systemLibrary(
      name: "CSystemd", path: "Sources/System/CSystemd", pkgConfig: "libsystemd",
      providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(
      name: "CQREncode", path: "Sources/System/CQREncode", pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
    .systemLibrary(
      name: "CZBar", path: "Sources/System/CZBar", pkgConfig: "zbar",
      providers: [.apt(["libzbar-dev"]), .brew(["zbar"])]),
    .systemLibrary(
      name: "CPNG", path: "Sources/System/CPNG", pkgConfig: "libpng",
      providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),

    // Core
    module("Core", "Bytes"),
    module("Core", "ProductVersion"),
    module("Core", "StrictJSON"),
    module("Core", "PrivateFiles", [.crypto]),
    module("Core", "Concurrency"),
    module("Core", "TerminalText", ["Concurrency"]),
    module("Client", "PingLoggerPresets"),
    module("Client", "PingLogger", ["Concurrency", "PingLoggerPresets", .logging]),
    module(
      "Client", "PingStorage", ["Bytes", "Concurrency", "PingLogger", "PrivateFiles", .crypto]),
    module("Client", "KeychainNames"),
    module(
      "Client", "SealedRecords",
      ["Bytes", "Concurrency", "PingLogger", "PingStorage", "PrivateFiles", .crypto, .grdbForFiles]),
    module("Client", "HTTPCookies"),
    module("Core", "WebAddresses"),
    module(
      "Client", "PingNetwork", ["HTTPCookies", "Concurrency", "PingLogger", "ProductVersion", "WebAddresses"]),
    module(
      "Client", "PingCommons",
      ["Bytes", "Concurrency", "PingLogger", "PingStorage", "PrivateFiles", "StrictJSON", "JOSE", .crypto]),

    // Formats
    module("Formats", "TOML"),
    module("Formats", "CBOR"),
    module("Formats", "JOSE", ["Bytes", "StrictJSON", .crypto, .cryptoExtras]),
    module("Formats", "SigningTransactions", ["Bytes", "JOSE", "StrictJSON", .crypto]),
    module(
      "Formats", "KeyAttestation", ["Bytes", "JOSE", "StrictJSON", .crypto, .cryptoExtras, .x509, .asn1]),
    module("Formats", "WebAuthnFormats", ["Bytes", "CBOR", "JOSE", "StrictJSON", .crypto, .cryptoExtras]),
    module(
      "Formats", "WebAuthnVerification",
      [
        "Bytes",
        "WebAuthnFormats", "CBOR", "KeyAttestation", "JOSE", "StrictJSON", .crypto, .cryptoExtras, .x509,
        .asn1,
      ]),

    module("Formats", "PushFormats", ["Bytes", "JOSE", "StrictJSON", "WebAddresses"]),
    module("Formats", "PublicSuffixes", ["WebAddresses"]),
    module("Formats", "QRCodes", ["CQREncode"]),
    module("Formats", "QRCodeReader", ["CPNG", "CZBar"]),
    module("Formats", "EvidenceLedger", ["Bytes", "JOSE", "SigningTransactions", "StrictJSON", .crypto]),
    module("Formats", "OATH", ["Bytes", .crypto]),

    // Device
    module(
      "Device", "DeviceKeys",
      ["Bytes", "Concurrency", "PingStorage", "PrivateFiles", "JOSE", "StrictJSON", .crypto, .cryptoExtras]),
    module(
      "Device", "DeviceKeysTPM",
      [
        "Bytes",
        .linux("CTSS2"), "DeviceKeys", "KeyAttestation", "Concurrency", "PingStorage", "PrivateFiles", "JOSE",
        "StrictJSON",
        .crypto, .x509, .asn1,
      ]),
    module(
      "Device", "DeviceKeysApple",
      ["Bytes", "DeviceKeys", "UserVerification", "PingStorage", "PrivateFiles", "JOSE"]),
    module(
      "Device", "UserVerification",
      ["Bytes", "DeviceKeys", "JOSE", "Concurrency", "PingStorage", "PrivateFiles", "StrictJSON", .crypto]),
    module(
      "Device", "WebAuthnAuthenticator",
      [
        "Bytes",
        "DeviceKeys", "UserVerification", "WebAuthnFormats", "CBOR", "KeyAttestation", "PingStorage",
        "PrivateFiles", "JOSE",
        "StrictJSON", .x509, .asn1,
      ]),
    module("Device", "MessageBus", [.linux("CSystemd")]),
    module("Device", "UserVerificationFprintd", ["UserVerification", "Concurrency", "MessageBus"]),
    module("Device", "UserVerificationPAM", ["UserVerification", "Concurrency", .linux("CPAM")]),

    // Client
    module(
      "Client", "PingDeviceId",
      ["Concurrency", "PingLogger", "PingStorage", "PrivateFiles", .crypto, .cryptoExtras]),
    module(
      "Client", "PingDeviceProfile",
      [
        "PingCommons", "PingDeviceId", "PingJourneyPlugin", "PingLogger", "PingOrchestrate",
        "PingTamperDetector", "StrictJSON",
      ]),
    module("Client", "GeoClueLocation", ["MessageBus", "PingDeviceProfile"]),
    module(
      "Client", "PingOrchestrate",
      ["HTTPCookies", "Concurrency", "PingLogger", "PingNetwork", "PingStorage", "PrivateFiles"]),
    module("Client", "PingJourneyPlugin", ["Concurrency", "PingLogger", "PingOrchestrate"]),
    module("Client", "PingOidc", ["PingLogger", "PingOrchestrate", "PingStorage", "PrivateFiles"]),
    module(
      "Client", "PingJourney",
      [
        "Concurrency", "PingLogger", "PingStorage", "PrivateFiles", "PingCommons", "PingOrchestrate",
        "PingJourneyPlugin",
        "PingOidc", "WebAddresses",
      ]),
    module(
      "Client", "PingBinding",
      [
        "Bytes",
        "Concurrency", "TerminalText", "PingLogger", "PingStorage", "PrivateFiles", "PingDeviceId",
        "PingOrchestrate",
        "PingJourneyPlugin", "PingDeviceClient", "DeviceKeys", "DeviceKeysApple", "UserVerification", "JOSE",
        "SigningTransactions", "StrictJSON",
        .crypto,
      ]),
    module(
      "Client", "PingDeviceClient",
      ["Concurrency", "PingNetwork", "PingOrchestrate", "StrictJSON"]),
    module("Client", "PingTamperDetector", ["PingCommons"]),
    module(
      "Client", "PingPush",
      [
        "Bytes",
        "Concurrency", "TerminalText", "PingLogger", "PingStorage", "PrivateFiles", "PingNetwork",
        "PingOrchestrate",
        "PingCommons",
        "PushFormats", "PingTamperDetector", "StrictJSON", "SealedRecords", "KeychainNames",
        .crypto, .grdbForFiles,
      ]),
    module(
      "Client", "PingOath",
      [
        "KeychainNames", "Concurrency", "OATH", "PingCommons", "PingLogger", "PingStorage", "PrivateFiles",
        "PingTamperDetector",
        "PushFormats", "Bytes", "SealedRecords", "StrictJSON", .grdbForFiles,
      ]),
    module(
      "Client", "PingFido",
      [
        "Bytes",
        "Concurrency", "TerminalText", "PingLogger", "PingOrchestrate", "PingJourneyPlugin", "PingJourney",
        "PingDeviceClient",
        "DeviceKeys", "DeviceKeysApple", "UserVerification", "WebAuthnAuthenticator", "WebAuthnFormats",
        "JOSE", "PublicSuffixes", "WebAddresses",
      ]),
    // The earlier SDK's names, over the modules above.
    module(
      "Client", "FRAuth",
      [
        "Concurrency", "PingFido", "PingDeviceClient", "PingJourney", "PingJourneyPlugin", "PingLogger",
        "PingOrchestrate", "PingStorage", "PrivateFiles", "WebAuthnAuthenticator",
      ]),
    module(
      "Client", "FRDeviceBinding",
      [
        "Bytes",
        "FRAuth", "Concurrency", "PingBinding", "PingDeviceClient", "PingJourneyPlugin", "PingLogger",
        "PingNetwork", "PingOrchestrate", "PingStorage", "PrivateFiles", "DeviceKeys", "JOSE", .crypto,
      ]),

    // Server
    module(
      "Server", "JourneyStore",
      [
        "Bytes", "EvidenceLedger", "JOSE", "Concurrency", "OATH", "PrivateFiles", "StrictJSON", .logging,
        .crypto,
        .grdb,
      ]),
    module(
      "Server", "AttestationAuthority",
      [
        "Bytes", "KeyAttestation", "JOSE", "PrivateFiles", "StrictJSON", .crypto, .cryptoExtras, .x509, .asn1,
      ]),
    module("Server", "PasswordRules"),
    module(
      "Server", "PasswordHashing",
      ["Bytes", "CArgon2", "Concurrency", "PasswordRules", .crypto, .nioPosix]),
    module("Server", "JourneyEngine", ["Bytes", "JOSE", "StrictJSON", .logging, .crypto]),
    module(
      "Server", "JourneyNodes",
      [
        "Bytes",
        "SecurityEvents",
        "PasswordRules", "JourneyEngine", "JourneyStore", "EvidenceLedger", "KeyAttestation", "JOSE",
        "Concurrency",
        "OATH", "PushFormats", "SigningTransactions", "StrictJSON", .logging, .crypto, "WebAuthnFormats",
        "WebAuthnVerification",
      ]),
    module(
      "Server", "PushTransports",
      [
        "Bytes",
        "PrivateFiles",
        "JourneyNodes", "JourneyStore", "JOSE", "Concurrency", "StrictJSON", .logging, .crypto, .lifecycle,
        .httpClient, .nioCore, .nioPosix, .nioHTTP1, .nioSSL,
      ]),
    module("Server", "SecurityEvents", ["StrictJSON", .logging, .nioPosix]),
    .target(
      name: "JourneyServer",
      dependencies: [
        "SecurityEvents", "Bytes", "PrivateFiles", "ProductVersion",
        "JourneyEngine", "JourneyNodes", "JourneyStore", "PushTransports", "EvidenceLedger", "KeyAttestation",
        "PasswordRules", "PasswordHashing", "JOSE", "PushFormats", "QRCodes", "SigningTransactions",
        "StrictJSON", "Concurrency", .logging, .crypto, .hummingbird, .hummingbirdCore, .hummingbirdTLS,
        .hummingbirdHTTP2, .lifecycle,
        .unixSignals, .nioCore, .nioPosix, .nioHTTP1, .nioHTTP2, .nioHTTPTypes, .nioTLS, .nioSSL, .httpTypes,
      ],
      path: "Sources/Server/JourneyServer",
      resources: [
        "Login", "BindDevice", "BindDeviceNoPin", "BindDeviceAttested", "BindDeviceBiometric",
        "BindDeviceBiometricOrCredential", "SignTransaction", "ApproveTransaction", "SignIn",
        "PushRegister", "PushSignIn", "PushNumber", "PushCode", "PushBiometric",
        "WebAuthnRegister", "WebAuthnSignIn", "Usernameless",
        "CombinedRegister", "OathRegister", "OathSignIn", "StepUp",
      ].map { .embedInCode("journeys/\($0).journey.json") }
        + ["index.html", "sealring.css", "sealring.js"].map { .embedInCode("Pages/\($0)") },
      swiftSettings: house),

    // Tools
    module("Tools", "CommandSettings", ["TOML", "TerminalText", "PingStorage", "PrivateFiles"]),
    module("Tools", "SoftwareTPM", ["Concurrency"]),
    module(
      "Tools", "SealringTesting",
      [
        "Bytes",
        "JourneyServer", "JourneyEngine", "JourneyNodes", "JourneyStore", "PingJourney",
        "PingBinding", "PingOrchestrate", "PingJourneyPlugin", "PingStorage", "PrivateFiles", "PingLogger",
        "DeviceKeys", "UserVerification", "StrictJSON", "JOSE", "Concurrency", .logging, .crypto,
        "PingDeviceId",
        "PasswordHashing", "PingNetwork", "SigningTransactions",
      ]),
    // `serve`, and what commands need: in both programs below.
    module(
      "Tools", "ServerCommand",
      [
        "CommandSettings", "JourneyServer", "JourneyNodes", "KeyAttestation", "Concurrency", "PingStorage",
        "PrivateFiles",
        "PushTransports", "Bytes",
        "StrictJSON", "TerminalText", "WebAuthnVerification", .logging, .nioCore, .arguments,
      ]),
    .executableTarget(
      name: "sealring-server",
      dependencies: ["ServerCommand", "ProductVersion", .httpClient, .nioCore, .nioHTTP1, .arguments],
      path: "Sources/Tools/sealring-server", swiftSettings: house),
    .executableTarget(
      name: "sealring",
      dependencies: [
        "ServerCommand", "CommandSettings", "HTTPCookies",
        "SecurityEvents", "Bytes", "ProductVersion",
        "JourneyServer", "JourneyEngine", "JourneyNodes", "JourneyStore", "PingJourney",
        "PingBinding", "PingOrchestrate", "PingJourneyPlugin", "PingStorage", "PrivateFiles", "PingLogger",
        "PingDeviceClient", "PingFido", "PingNetwork", "DeviceKeys", "DeviceKeysTPM", "SoftwareTPM",
        "UserVerification", "WebAuthnAuthenticator",
        "UserVerificationFprintd", "UserVerificationPAM", "KeyAttestation", "AttestationAuthority",
        "EvidenceLedger", "SigningTransactions", "PushTransports", "StrictJSON", "WebAuthnVerification",
        "JOSE", "Concurrency", "TerminalText", "PasswordHashing", "PasswordRules", .logging, .lifecycle,
        .arguments,
        "PingCommons", .nioCore, .crypto,
        "QRCodes", "QRCodeReader", "PingPush", "PingOath", "PingDeviceId", "PingDeviceProfile",
        "GeoClueLocation",
      ],
      path: "Sources/Tools/sealring", swiftSettings: house),

    // Tests
    .target(
      name: "TimeFixtures", dependencies: ["Concurrency"], path: "Tests/Support/TimeFixtures",
      swiftSettings: house),
    .target(
      name: "PersonFixtures",
      dependencies: [
        "UserVerification", "UserVerificationFprintd", "UserVerificationPAM", "Concurrency", "MessageBus",
      ],
      path: "Tests/Support/PersonFixtures", swiftSettings: house),
    .target(
      name: "AuthenticatorFixtures", dependencies: ["Bytes", "WebAuthnFormats", "CBOR", "JOSE", .crypto],
      path: "Tests/Support/AuthenticatorFixtures", swiftSettings: house),
    .target(
      name: "PushServiceFixtures",
      dependencies: [
        "Bytes",
        "JOSE", "Concurrency", "StrictJSON", .crypto, .nioCore, .nioPosix, .nioHTTP1, .nioHTTP2, .nioSSL,
        .x509,
        .asn1,
      ],
      path: "Tests/Support/PushServiceFixtures", swiftSettings: house),
    tests(
      "Core", "CoreTests",
      [
        "Bytes",
        "HTTPCookies", "Concurrency", "TerminalText", "PingLogger", "PingStorage", "PrivateFiles",
        "PingNetwork",
        "PingCommons",
        "ProductVersion", "StrictJSON", "WebAddresses",
        "JOSE", .logging, .crypto,
      ]),
    tests("Core", "StrictJSONTests", ["StrictJSON"]),
    tests("Formats", "TOMLTests", ["TOML"]),
    tests("Formats", "CBORTests", ["CBOR"]),
    tests(
      "Formats", "SigningTransactionsTests", ["Bytes", "SigningTransactions", "JOSE", "StrictJSON", .crypto]),
    tests("Formats", "JOSETests", ["Bytes", "JOSE", "StrictJSON", .crypto, .cryptoExtras]),
    tests("Formats", "PushFormatsTests", ["Bytes", "PushFormats", "JOSE", "StrictJSON"]),
    tests("Formats", "PublicSuffixesTests", ["PublicSuffixes", "WebAddresses"]),
    tests("Formats", "QRCodesTests", ["QRCodes", "QRCodeReader"]),
    tests("Formats", "EvidenceLedgerTests", ["Bytes", "EvidenceLedger", "JOSE", "StrictJSON", .crypto]),
    tests("Formats", "OATHTests", ["OATH"]),
    tests(
      "Formats", "KeyAttestationTests",
      ["Bytes", "KeyAttestation", "JOSE", "StrictJSON", .crypto, .cryptoExtras, .x509, .asn1]),
    tests(
      "Formats", "WebAuthnFormatsTests", ["Bytes", "WebAuthnFormats", "CBOR", "JOSE", "StrictJSON", .crypto]),
    tests(
      "Formats", "WebAuthnVerificationTests",
      [
        "Bytes",
        "WebAuthnVerification", "WebAuthnFormats", "CBOR", "KeyAttestation", "JOSE", "StrictJSON", .crypto,
        .cryptoExtras, .x509, .asn1,
      ]),
    tests(
      "Device", "DeviceKeysTests", ["Bytes", "DeviceKeys", "JOSE", "Concurrency", "StrictJSON", .crypto]),
    tests(
      "Device", "DeviceKeysTPMTests",
      [
        "Bytes",
        "DeviceKeysTPM", "SoftwareTPM", "DeviceKeys", "KeyAttestation", "JOSE", "StrictJSON", "PingStorage",
        "PrivateFiles",
        "Concurrency", .crypto, .x509, .asn1,
      ]),
    tests(
      "Device", "DeviceKeysAppleTests",
      ["Bytes", "DeviceKeysApple", "DeviceKeys", "UserVerification", "JOSE", .crypto]),
    tests(
      "Device", "UserVerificationTests",
      ["Bytes", "UserVerification", "DeviceKeys", "PingStorage", "PrivateFiles", "Concurrency", .crypto]),
    tests(
      "Device", "WebAuthnAuthenticatorTests",
      [
        "Bytes",
        "WebAuthnAuthenticator", "WebAuthnVerification", "WebAuthnFormats", "CBOR", "KeyAttestation",
        "DeviceKeys", "DeviceKeysTPM", "SoftwareTPM", "UserVerification", "PingStorage", "PrivateFiles",
        "Concurrency",
        "JOSE",
        "StrictJSON", .crypto, .x509, .asn1,
      ]),
    tests(
      "Device", "UserVerificationFprintdTests",
      ["UserVerificationFprintd", "UserVerification", "PersonFixtures", "MessageBus", "Concurrency"]),
    tests(
      "Device", "UserVerificationPAMTests",
      ["UserVerificationPAM", "UserVerification", "PersonFixtures", "Concurrency"]),
    tests(
      "Client", "PingDeviceIdTests",
      ["PingDeviceId", "PingLogger", "PingStorage", "PrivateFiles", "Concurrency", .crypto]),
    tests(
      "Client", "PingDeviceProfileTests",
      [
        "PingDeviceProfile", "GeoClueLocation", "MessageBus", "PingDeviceId", "PingTamperDetector",
        "PingJourney",
        "PingJourneyPlugin", "PingLogger", "PingOrchestrate", "PingStorage", "PrivateFiles", "PersonFixtures",
        "SealringTesting", "StrictJSON", "Concurrency",
      ]),
    tests(
      "Client", "PingOrchestrateTests",
      [
        "PingOrchestrate", "HTTPCookies", "PingNetwork", "PingStorage", "PrivateFiles", "PingLogger",
        "Concurrency",
      ]),
    tests(
      "Client", "PingJourneyTests",
      [
        "PingJourney", "PingJourneyPlugin", "PingOidc", "PingOrchestrate", "PingStorage", "PrivateFiles",
        "PingLogger",
        "Concurrency",
      ]),
    tests(
      "Client", "PingBindingTests",
      [
        "Bytes",
        "TimeFixtures",
        "PingBinding", "PingDeviceClient", "PingJourney", "PingJourneyPlugin", "PingOrchestrate",
        "PingStorage", "PrivateFiles", "PingCommons", "PingDeviceId", "PingLogger", "DeviceKeys",
        "UserVerification", "JOSE",
        "SigningTransactions", "StrictJSON", "Concurrency", "KeyAttestation", "JourneyServer",
        "JourneyStore", "SealringTesting",
        .crypto,
      ]),
    tests(
      "Client", "PingFidoTests",
      [
        "Bytes",
        "TimeFixtures",
        "PingFido", "PingJourney", "PingJourneyPlugin", "PingOrchestrate", "PingStorage", "PrivateFiles",
        "DeviceKeys",
        "UserVerification", "WebAuthnAuthenticator", "WebAuthnFormats", "WebAuthnVerification", "JOSE",
        "StrictJSON", "Concurrency",
      ]),
    tests(
      "Client", "FRAuthTests",
      [
        "Bytes",
        "FRAuth", "PingFido", "PingStorage", "PrivateFiles", "DeviceKeys", "WebAuthnAuthenticator",
        "UserVerification",
        "Concurrency",
      ]),
    tests(
      "Client", "PingDeviceClientTests",
      ["PingDeviceClient", "PingNetwork", "PingOrchestrate", "StrictJSON", "Concurrency"]),
    tests(
      "Client", "PingPushTests",
      [
        "Bytes",
        "PingPush", "PushFormats", "PingNetwork", "PingStorage", "PrivateFiles", "PingLogger", "StrictJSON",
        "JOSE",
        "Concurrency", "PingCommons", "PingDeviceClient", "PingOrchestrate", "PingTamperDetector",
        "SealedRecords",
        .grdb,
      ]),
    tests(
      "Client", "PingOathTests",
      [
        "PingOath", "OATH", "PingCommons", "PingLogger", "PingStorage", "PrivateFiles", "PushFormats",
        "SealedRecords",
        "Concurrency", .grdb,
      ]),
    tests(
      "Client", "DocumentationTests",
      [
        "Bytes",
        "PingBinding", "PingCommons", "PingDeviceClient", "PingFido", "PingJourney", "PingJourneyPlugin",
        "PingLogger", "PingOath", "PingOrchestrate", "PingPush",
        "FRDeviceBinding", "DeviceKeys", "DeviceKeysTPM", "UserVerification", "UserVerificationFprintd",
        "UserVerificationPAM", "SigningTransactions", "SealringTesting",
      ]),
    tests(
      "Client", "FRDeviceBindingTests",
      [
        "Bytes",
        "FRDeviceBinding", "FRAuth", "PingBinding", "PingJourney", "PingOrchestrate", "PingStorage",
        "PrivateFiles",
        "SealringTesting", "PingFido", "UserVerification", "WebAuthnAuthenticator",
        "DeviceKeys", "JourneyStore", "Concurrency", .crypto,
      ]),
    tests(
      "Server", "JourneyStoreTests",
      [
        "Bytes", "JourneyStore", "EvidenceLedger", "JOSE", "Concurrency", "OATH", "StrictJSON", .logging,
        .grdb, .crypto,
      ]),
    tests("Server", "SecurityEventsTests", ["SecurityEvents", "StrictJSON", "Concurrency", .logging]),
    tests("Server", "PasswordRulesTests", ["PasswordRules"]),
    tests("Server", "PasswordHashingTests", ["PasswordHashing"]),
    tests(
      "Server", "AttestationAuthorityTests",
      [
        "Bytes", "AttestationAuthority", "KeyAttestation", "JOSE", "StrictJSON", .crypto, .cryptoExtras,
        .x509, .asn1,
      ]),
    tests(
      "Server", "JourneyEngineTests",
      ["Bytes", "JourneyEngine", "JOSE", "StrictJSON", "Concurrency", .crypto]),
    tests(
      "Server", "JourneyNodesTests",
      [
        "Bytes",
        "JourneyNodes", "JourneyEngine", "JourneyStore", "EvidenceLedger", "KeyAttestation", "JOSE",
        "OATH", "PushFormats", "SigningTransactions", "StrictJSON", "Concurrency", "WebAuthnFormats",
        "WebAuthnVerification", "CBOR", "AuthenticatorFixtures",
        .logging, .crypto, .cryptoExtras, .x509, .asn1,
      ]),
    tests(
      "Server", "PushTransportsTests",
      [
        "Bytes",
        "PushTransports", "PushServiceFixtures", "JourneyNodes", "JourneyStore", "JOSE", "Concurrency",
        "StrictJSON", .logging, .crypto, .lifecycle, .nioCore, .nioHTTP1, .nioSSL,
      ]),
    tests(
      "Server", "JourneyServerTests",
      [
        "Bytes",
        "SecurityEvents",
        "JourneyServer", "JourneyEngine", "JourneyNodes", "JourneyStore", "PushTransports", "EvidenceLedger",
        "PasswordHashing", "OATH", "PushFormats", "StrictJSON", "WebAuthnFormats",
        "JOSE", "Concurrency", "CBOR", "AuthenticatorFixtures", "PushServiceFixtures", .logging, .lifecycle,
        .crypto, .hummingbird,
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .httpTypes, .nioCore, .nioPosix, .nioTLS, .nioHTTP1, .nioHTTPTypes, .nioSSL, .httpClient,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ]),
    tests("Tools", "CommandSettingsTests", ["CommandSettings", "PingStorage", "PrivateFiles"]),
    tests(
      "Tools", "RedactionTests",
      [
        "sealring", "Bytes", "JourneyServer", "JourneyEngine", "JourneyStore", "PasswordHashing",
        "PushFormats", "JOSE", "OATH",
        "DeviceKeys", "DeviceKeysTPM", "UserVerification", "FRAuth", "PingJourney", "PingOidc",
        "PingOath", "PingPush", "PingDeviceClient",
        "PingStorage", "PrivateFiles",
      ]),
    tests(
      "Tools", "EndToEndTests",
      [
        "Bytes",
        "SealringTesting", "JourneyServer", "JourneyEngine", "JourneyNodes", "JourneyStore",
        "PingJourney", "PingBinding", "PingOrchestrate", "PingJourneyPlugin", "PingStorage", "PrivateFiles",
        "PingLogger", "PingDeviceClient", "PingFido", "PingNetwork", "DeviceKeys", "DeviceKeysTPM",
        "SoftwareTPM",
        "PingPush", "QRCodeReader", "WebAuthnAuthenticator", "PersonFixtures", "PushServiceFixtures",
        "PushTransports", "UserVerification", "UserVerificationFprintd", "UserVerificationPAM",
        "KeyAttestation", "AttestationAuthority",
        "SigningTransactions", "StrictJSON",
        "JOSE", "Concurrency", .crypto, .cryptoExtras, .x509, .asn1, .hummingbird, .httpTypes, .logging,
        .nioCore, .nioHTTP1, .nioSSL, .httpClient,
      ]),
  ]
)
