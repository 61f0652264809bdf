// swift-tools-version: 6.2
import PackageDescription

// Targets declare what their files import, no more, from their layer and below: `scripts/check-modules`.

/// Every target's settings. Nothing in them depends on who builds: other settings would compile everything again in the same folder.
/// Warnings are found by `scripts/check-warnings`.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The package of each product that is not ours; products are named as their modules.
let packages = [
  "Crypto": "swift-crypto", "CryptoExtras": "swift-crypto", "X509": "swift-certificates",
  "SwiftASN1": "swift-asn1", "Logging": "swift-log", "ArgumentParser": "swift-argument-parser",
  "ServiceLifecycle": "swift-service-lifecycle", "UnixSignals": "swift-service-lifecycle",
  "Hummingbird": "hummingbird", "HummingbirdCore": "hummingbird", "HummingbirdHTTP2": "hummingbird",
  "HummingbirdTesting": "hummingbird", "NIOCore": "swift-nio", "NIOPosix": "swift-nio", "GRDB": "GRDB.swift",
  "GRDBSQLite": "GRDB.swift",
  "NIOEmbedded": "swift-nio", "NIOTLS": "swift-nio", "NIOHTTP1": "swift-nio", "NIOHTTP2": "swift-nio-http2",
  "NIOHTTPTypes": "swift-nio-extras", "NIOSSL": "swift-nio-ssl", "AsyncHTTPClient": "async-http-client",
  "HTTPTypes": "swift-http-types", "CoreMetrics": "swift-metrics", "Tracing": "swift-distributed-tracing",
  "Yams": "Yams", "Mustache": "swift-mustache", "Histogram": "hdrhistogram-swift",
]

/// The packages on GitHub, and from which version.
let released: [(String, Version)] = [
  ("apple/swift-crypto", "4.5.2"), ("apple/swift-nio", "2.101.2"), ("apple/swift-metrics", "2.13.0"),
  ("apple/swift-certificates", "1.21.1"), ("apple/swift-nio-extras.git", "1.35.2"),
  ("apple/swift-asn1", "1.7.4"), ("apple/swift-log", "1.16.2"), ("groue/GRDB.swift", "7.10.0"),
  ("swiftlang/swift-docc-plugin", "1.5.0"), ("apple/swift-argument-parser", "1.8.2"),
  ("apple/swift-http-types", "1.8.0"), ("apple/swift-nio-http2", "1.46.0"), ("apple/swift-nio-ssl", "2.37.6"),
  ("swift-server/async-http-client", "1.37.0"), ("apple/swift-distributed-tracing", "1.7.3"),
  ("hummingbird-project/hummingbird", "2.28.1"), ("swift-server/swift-service-lifecycle", "2.13.0"),
  ("jpsim/Yams.git", "6.2.0"), ("hummingbird-project/swift-mustache", "2.0.2"),
  ("HdrHistogram/hdrhistogram-swift", "0.1.3"),
]

/// What the target in `path` declares: `names`, of which a string may hold several with spaces between them.
func dependencies(_ names: [String], of path: String) -> [Target.Dependency] {
  names.flatMap { $0.split(separator: " ").map(String.init) }.map { name in
    // On Apple platforms the keychain takes the place of the client's files.
    let isLinuxOnly =
      ["CPAM", "CSystemd", "CTSS2"].contains(name) || (name == "GRDB" && path.hasPrefix("Client/"))
    let condition: TargetDependencyCondition? = isLinuxOnly ? .when(platforms: [.linux]) : nil
    return packages[name].map { .product(name: name, package: $0, condition: condition) }
      ?? .target(name: name, condition: condition)
  }
}

/// The target in the folder `path`, which is its layer and its name.
func module(
  _ path: String, _ names: String..., and more: [String] = [], in folder: String = "Sources",
  excluding others: String...
) -> Target {
  .target(
    name: name(path), dependencies: dependencies(names + more, of: path), path: "\(folder)/\(path)",
    exclude: others, swiftSettings: house)
}

func program(
  _ path: String, _ names: String..., and more: [String] = [], in folder: String = "Sources"
) -> Target {
  .executableTarget(
    name: name(path), dependencies: dependencies(names + more, of: path), path: "\(folder)/\(path)",
    swiftSettings: house)
}

/// Tests of the module that `path` names, or of several modules with `and`; what nearly all tests need is added.
func tests(_ path: String, _ names: String..., and more: [String]? = nil) -> Target {
  let tested = more ?? [String(name(path).dropLast("Tests".count))]
  let common = ["Bytes", "Concurrency", "StrictJSON", "CommonFixtures"].filter { !tested.contains($0) }
  return .testTarget(
    name: name(path), dependencies: dependencies(names + tested + common, of: path), path: "Tests/\(path)",
    swiftSettings: house)
}

/// A library of C, which pkg-config finds, and the packages that have it.
func system(_ name: String, pkgConfig: String? = nil, apt: String, brew: String? = nil) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
    providers: [.apt([apt])] + (brew.map { [.brew([$0])] } ?? []))
}

func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

// Shared by everything that runs a device and a server in one process.
let clientModules: [String] = [
  "DeviceKeys", "UserVerification", "PingBinding", "PingJourney", "PingJourneyPlugin", "PingLogger",
  "PingNetwork", "PingOrchestrate", "PingStorage",
]
let serverModules: [String] = ["Assembly", "JourneyStore"]

let package = Package(
  name: "sealring",
  platforms: [.macOS(.v14), .iOS(.v16)],
  // Only what code outside this package has to name (docs/public-api.md).
  products: [
    .executable(name: "sealring", targets: ["sealring"]),
    .executable(name: "sealring-server", targets: ["sealring-server"]),
    .library(
      name: "SealringServer",
      targets: [
        "Assembly", "Pages", "ServerHTTP", "JourneyFiles", "Operations", "Accounts", "JourneyNodes",
        "JourneyEngine", "JourneyStore",
      ]),
    .library(
      name: "_ForBenchmarks",  // Only for the package in Benchmarks; not an API.
      targets: [
        "CBOR", "EvidenceLedger", "JourneyDriving", "JourneyScripts", "PasswordHashing", "PushFormats",
        "WebAuthnVerification",
      ]),
  ]
    + [
      // The published modules.
      "PingLogger", "PingStorage", "PingNetwork", "PingCommons", "PingDeviceId", "PingDeviceProfile",
      "PingOrchestrate", "PingJourneyPlugin", "PingJourney", "PingBrowser", "PingOidc", "PingBinding",
      "PingExternalIdP", "PingFido",
      "PingDeviceClient", "PingPush", "PingTamperDetector", "PingOath", "FRCore", "FRAuth", "FRDeviceBinding",
      // Key stores and ways to verify the person, for apps to choose from.
      "DeviceKeys", "DeviceKeysTPM", "DeviceKeysPKCS11", "DeviceKeysApple", "UserVerification",
      "UserVerificationFprintd",
      "UserVerificationPAM", "SecurityKeys", "WebAuthnAuthenticator", "GeoClueLocation",
      // Modules whose types appear in declarations of the ones above.
      "Bytes", "JOSE", "KeyAttestation", "LegacyMigration", "PrivateFiles", "SigningTransactions",
      "StrictJSON",
      "WebAuthnFormats",
      "SealringTesting", "JourneyTesting", "SoftwareTPM",  // For the tests of apps and journeys.
    ].map { .library(name: $0, targets: [$0]) },
  dependencies: released.map { name, version in
    // Of Hummingbird's traits we need one. Of several SwiftPM changes the order from plan to plan, and with it every command.
    name.hasSuffix("/hummingbird")
      ? .package(url: "https://github.com/\(name)", from: version, traits: ["FullFoundation"])
      : .package(url: "https://github.com/\(name)", from: version)
  },
  targets: [
    // System libraries, each in a target of its own: who takes PingBinding alone needs none of them.
    system("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev", brew: "argon2"),
    system(
      "CTSS2", pkgConfig: "tss2-esys tss2-tctildr tss2-mu tss2-rc", apt: "libtss2-dev", brew: "tpm2-tss"),
    system("CPAM", apt: "libpam0g-dev"),
    system("CSystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),
    system("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev", brew: "qrencode"),
    .systemLibrary(name: "CCurl", path: "Sources/System/CCurl"),  // The same.
    .systemLibrary(name: "CEpoll", path: "Sources/System/CEpoll"),  // A header of the C library.
    .systemLibrary(name: "CSQLiteSettings", path: "Sources/System/CSQLiteSettings"),  // A variadic function.
    .systemLibrary(name: "CPNG", path: "Sources/System/CPNG"),  // Declarations: it is opened when needed.

    // Core
    module("Core/Bytes"),
    module("Core/Concurrency"),
    module("Core/StrictJSON", "Bytes"),
    module("Core/PrivateFiles", "Bytes Concurrency StrictJSON Crypto"),
    module("Core/ProductVersion"),
    module("Core/RuntimeLibraries", "CCurl"),
    module("Core/Cryptoki", "PrivateFiles RuntimeLibraries"),
    module("Core/TerminalText", "Bytes Concurrency"),
    // The list of public suffixes is a file in the program.
    .target(name: "CPublicSuffixes", path: "Sources/Core/CPublicSuffixes", exclude: ["rules.txt"]),
    module("Core/WebAddresses", "Bytes CPublicSuffixes"),

    // Formats
    module(
      "Formats/AppIntegrity",
      "Bytes StrictJSON CBOR JOSE KeyAttestation WebAuthnFormats Crypto X509 SwiftASN1"),
    module("Formats/BackupFormats", "Bytes Crypto"),
    module("Formats/JOSE", "Bytes StrictJSON Crypto CryptoExtras"),
    module("Formats/SigningTransactions", "Bytes StrictJSON Crypto"),
    module("Formats/BindingFormats", "Bytes StrictJSON JOSE SigningTransactions Crypto"),
    module("Formats/CBOR"),
    module("Formats/CTAP", "Bytes CBOR Crypto CryptoExtras"),
    module(
      "Formats/EvidenceLedger", "Bytes Concurrency StrictJSON BindingFormats JOSE SigningTransactions Crypto"),
    module("Formats/JourneyGraphs", "Bytes StrictJSON Crypto"),
    module("Formats/KeyAttestation", "Bytes StrictJSON JOSE Crypto CryptoExtras X509 SwiftASN1"),
    module("Formats/OATH", "Bytes Crypto"),
    module("Formats/OpenIDFormats", "Bytes Concurrency StrictJSON WebAddresses JOSE Crypto"),
    module("Formats/Plots"),
    module("Formats/PushFormats", "Bytes StrictJSON WebAddresses JOSE"),
    module("Formats/QRCodes", "CQREncode"),
    module("Formats/QueryFilters", "StrictJSON"),
    module("Formats/SSHFormats", "Bytes Crypto CryptoExtras"),
    module("Formats/TOML"),
    module("Formats/WebAuthnFormats", "Bytes RuntimeLibraries StrictJSON CBOR JOSE Crypto CryptoExtras"),
    module(
      "Formats/WebAuthnVerification", "Bytes StrictJSON WebAddresses CBOR JOSE KeyAttestation",
      "WebAuthnFormats Crypto CryptoExtras X509 SwiftASN1"),

    // Device
    module("Device/DeviceKeys", "Bytes Concurrency PrivateFiles StrictJSON JOSE Crypto CryptoExtras"),
    module("Device/UserVerification", "Bytes Concurrency PrivateFiles StrictJSON JOSE DeviceKeys Crypto"),
    module("Device/DeviceKeysApple", "Bytes PrivateFiles JOSE DeviceKeys UserVerification"),
    module(
      "Device/DeviceKeysTPM", "CTSS2 Bytes Concurrency PrivateFiles StrictJSON JOSE KeyAttestation",
      "DeviceKeys Crypto X509 SwiftASN1"),
    module(
      "Device/DeviceKeysPKCS11", "Bytes Concurrency Cryptoki PrivateFiles StrictJSON JOSE DeviceKeys Crypto"),
    module("Device/MessageBus", "CSystemd"),
    module("Device/TerminalPrompts", "Concurrency TerminalText"),
    module(
      "Device/PersonPrompts", "Bytes Concurrency RuntimeLibraries TerminalText DeviceKeys TerminalPrompts"),
    module("Device/UserVerificationFprintd", "MessageBus UserVerification"),
    module(
      "Device/DesktopPrompts", "Concurrency TerminalText MessageBus PersonPrompts UserVerification"),
    module("Device/UserVerificationPAM", "CPAM Concurrency UserVerification"),
    module(
      "Device/WebAuthnAuthenticator", "Bytes PrivateFiles StrictJSON CBOR JOSE KeyAttestation",
      "WebAuthnFormats DeviceKeys UserVerification Crypto X509 SwiftASN1"),

    module(
      "Device/CTAPAuthenticator",
      "Bytes Concurrency PrivateFiles TerminalText CBOR CTAP JOSE WebAuthnFormats DeviceKeys PersonPrompts UserVerification",
      "WebAuthnAuthenticator Crypto"),
    module(
      "Device/SecurityKeys",
      "Bytes Concurrency PrivateFiles RuntimeLibraries CBOR CTAP WebAuthnFormats DeviceKeys WebAuthnAuthenticator",
      "Crypto"),

    // Client
    module("Client/PingLoggerPresets"),
    module("Client/PingLogger", "Bytes Concurrency PingLoggerPresets Logging"),
    module(
      "Client/PingNetwork",
      "Bytes Concurrency PrivateFiles ProductVersion RuntimeLibraries WebAddresses PingLogger"
    ),
    module("Client/PingStorage", "Bytes Concurrency PrivateFiles PingLogger Crypto"),
    module(
      "Client/PingOrchestrate", "Bytes Concurrency StrictJSON PingLogger PingNetwork PingStorage"),
    module("Client/PingDeviceClient", "Bytes Concurrency StrictJSON PingNetwork PingOrchestrate"),
    module("Client/PingCommons", "Bytes Concurrency StrictJSON JOSE PushFormats PingLogger"),
    module("Client/PingJourneyPlugin", "Concurrency StrictJSON PingLogger PingOrchestrate"),
    module("Client/PingBrowser", "Concurrency WebAddresses PingLogger PingNetwork"),
    module(
      "Client/PingOidc",
      "Bytes Concurrency PrivateFiles StrictJSON WebAddresses JOSE OpenIDFormats DeviceKeys",
      "PingBrowser PingLogger PingOrchestrate PingStorage Crypto"),
    module(
      "Client/PingJourney", "Bytes Concurrency WebAddresses PingCommons PingJourneyPlugin PingLogger",
      "PingOidc PingOrchestrate PingStorage"),
    module(
      "Client/PingFido", "Bytes Concurrency PrivateFiles WebAddresses JOSE WebAuthnFormats",
      "DeviceKeys DeviceKeysApple SecurityKeys UserVerification WebAuthnAuthenticator PingDeviceClient",
      "PingJourney PingJourneyPlugin PingLogger PingOrchestrate PingStorage"),
    module(
      "Client/PingExternalIdP",
      "StrictJSON PingBrowser PingJourneyPlugin PingOidc PingOrchestrate PingStorage"),
    // The earlier SDK's names, over the modules above.
    module("Client/FRCore", "Bytes Concurrency JOSE DeviceKeys DeviceKeysApple PingBinding Crypto"),
    module(
      "Client/FRAuth", "Bytes Concurrency StrictJSON AppIntegrity DeviceKeys WebAuthnAuthenticator FRCore",
      "PingDeviceClient PingFido PingJourney PingJourneyPlugin PingLogger PingNetwork PingOrchestrate"),
    module(
      "Client/PingDeviceId", "Bytes Concurrency PrivateFiles PingLogger PingStorage Crypto CryptoExtras"),
    module(
      "Client/PingBinding",
      "Bytes Concurrency PrivateFiles StrictJSON TerminalText BindingFormats JOSE LegacyMigration",
      "SigningTransactions DeviceKeys DeviceKeysApple TerminalPrompts UserVerification PingCommons",
      "PingDeviceClient PingDeviceId PingJourneyPlugin PingLogger PingOidc PingOrchestrate PingStorage",
      "Crypto"),
    module(
      "Client/FRDeviceBinding", "Concurrency DeviceKeys FRAuth FRCore PingBinding PingDeviceClient",
      "PingJourneyPlugin PingLogger"),
    module("Client/PingTamperDetector", "Concurrency PingCommons"),
    module(
      "Client/PingDeviceProfile", "Bytes Concurrency StrictJSON PingCommons PingDeviceId PingJourneyPlugin",
      "PingLogger PingOrchestrate PingTamperDetector"),
    module(
      "Client/Agent",
      "Bytes Concurrency PrivateFiles RuntimeLibraries StrictJSON TerminalText JOSE SSHFormats WebAuthnFormats",
      "DeviceKeys WebAuthnAuthenticator PersonPrompts Crypto"),
    module(
      "Client/PAMAgent",
      "Bytes Concurrency PrivateFiles StrictJSON TerminalText WebAddresses BindingFormats JOSE",
      "SigningTransactions DeviceKeys PersonPrompts Agent PingJourney PingJourneyPlugin PingLogger PingNetwork",
      "PingOrchestrate PingStorage Crypto"),
    module("Client/GeoClueLocation", "Concurrency MessageBus PingDeviceProfile"),
    module("Client/KeychainNames"),
    module("Client/LegacyMigration", "StrictJSON PrivateFiles PingLogger PingStorage"),
    module("Client/SealedRecords", "Bytes Concurrency PrivateFiles PingLogger PingStorage Crypto GRDB"),
    module(
      "Client/PingOath", "Bytes Concurrency PrivateFiles OATH PushFormats KeychainNames LegacyMigration",
      "PingCommons PingLogger PingTamperDetector SealedRecords"),
    module(
      "Client/PingPush", "Bytes Concurrency PrivateFiles StrictJSON TerminalText PushFormats KeychainNames",
      "LegacyMigration PingCommons PingLogger PingNetwork PingOrchestrate PingTamperDetector SealedRecords"),

    // Server
    // The files that are in the program.
    .target(name: "CEmbeddedFiles", path: "Sources/Server/CEmbeddedFiles"),
    module("Server/AuthorizationPolicies", "Bytes StrictJSON WebAddresses BindingFormats"),
    module("Server/JourneyEngine", "Bytes Concurrency StrictJSON WebAddresses Crypto Logging"),
    module(
      "Server/JourneyStore", "Bytes Concurrency PrivateFiles ProductVersion StrictJSON BackupFormats",
      "BindingFormats EvidenceLedger JOSE OATH QueryFilters CSQLiteSettings Crypto Logging GRDB GRDBSQLite"),
    module(
      "Server/JourneyStorePostgres",
      "Bytes CEpoll Concurrency RuntimeLibraries BackupFormats EvidenceLedger JourneyStore",
      "Crypto Logging"),
    module(
      "Server/PageTemplates", "Bytes StrictJSON CEmbeddedFiles Mustache",
      excluding: "Templates", "Texts"),
    module("Server/PasswordRules", "Bytes CEmbeddedFiles", excluding: "common-passwords.txt"),
    module("Server/SecurityEvents", "Bytes Concurrency PrivateFiles StrictJSON Logging NIOPosix"),
    module(
      "Server/PushService", "Concurrency StrictJSON BindingFormats PushFormats JourneyStore SecurityEvents",
      "Logging ServiceLifecycle"),
    module("Server/MailService", "Bytes Concurrency PrivateFiles RuntimeLibraries Logging"),
    module(
      "Server/Accounts", "StrictJSON BindingFormats QueryFilters JourneyStore MailService PasswordRules",
      "SecurityEvents"),
    module(
      "Server/SSHAuthority", "Bytes StrictJSON BindingFormats EvidenceLedger JOSE KeyAttestation SSHFormats",
      "Accounts JourneyStore SecurityEvents Crypto"),
    module(
      "Server/JourneyNodes",
      "AppIntegrity Bytes Concurrency StrictJSON WebAddresses BindingFormats EvidenceLedger JOSE",
      "KeyAttestation OATH OpenIDFormats PushFormats QueryFilters SigningTransactions",
      "WebAuthnFormats WebAuthnVerification Accounts AuthorizationPolicies JourneyEngine JourneyScripts JourneyStore",
      "CEmbeddedFiles MailService PasswordRules PushService SecurityEvents Crypto",
      excluding: "WebAuthn/Scripts"),
    module(
      "Server/JourneyScripts", "Concurrency RuntimeLibraries StrictJSON CEmbeddedFiles",
      excluding: "Prelude"),
    module("Server/PasswordHashing", "CArgon2 Bytes Concurrency PasswordRules Crypto NIOPosix"),
    module(
      "Server/PushTransports",
      "Bytes Concurrency PrivateFiles StrictJSON WebAddresses JOSE JourneyStore",
      "PushService Crypto Logging ServiceLifecycle NIOCore NIOPosix NIOHTTP1 NIOSSL AsyncHTTPClient"),
    module(
      "Server/Operations",
      "Bytes Concurrency Cryptoki PrivateFiles ProductVersion StrictJSON TerminalText",
      "WebAddresses BindingFormats EvidenceLedger JourneyEngine JourneyNodes JourneyStore MailService",
      "PageTemplates PasswordHashing PushTransports SecurityEvents Crypto Logging ServiceLifecycle",
      "Hummingbird NIOCore NIOPosix NIOHTTP1 NIOSSL AsyncHTTPClient HTTPTypes CoreMetrics Tracing"),
    module(
      "Server/JourneyFiles",
      "Bytes Concurrency PrivateFiles StrictJSON WebAddresses AppIntegrity KeyAttestation Accounts",
      "AuthorizationPolicies CEmbeddedFiles JourneyEngine JourneyGraphs JourneyNodes JourneyScripts",
      "JourneyStore Operations PushTransports SecurityEvents Logging",
      excluding: "journeys"),
    module(
      "Server/ServerHTTP",
      "Bytes Concurrency PrivateFiles StrictJSON WebAddresses BindingFormats EvidenceLedger JOSE Accounts",
      "JourneyEngine JourneyFiles JourneyNodes JourneyStore Operations PasswordHashing PasswordRules",
      "PushService SSHAuthority SecurityEvents Crypto Logging Hummingbird",
      "HummingbirdCore HummingbirdHTTP2 NIOCore NIOTLS NIOHTTP1 NIOHTTPTypes NIOSSL HTTPTypes"),
    module(
      "Server/Pages",
      "Bytes Concurrency PrivateFiles ProductVersion StrictJSON BindingFormats EvidenceLedger",
      "JourneyGraphs OATH Plots QRCodes QueryFilters SigningTransactions Accounts CEmbeddedFiles JourneyEngine",
      "JourneyFiles JourneyNodes JourneyStore Operations PageTemplates PasswordRules PushService",
      "PushTransports SecurityEvents ServerHTTP Crypto Logging Hummingbird NIOCore HTTPTypes",
      excluding: "Assets", "SignIn", "sealring.css"),
    module(
      "Server/RestAPI",
      "Bytes Concurrency ProductVersion StrictJSON BindingFormats EvidenceLedger JOSE JourneyGraphs",
      "PushFormats QueryFilters SigningTransactions Accounts JourneyEngine JourneyFiles JourneyNodes JourneyStore",
      "Operations PasswordHashing PushService PushTransports SSHAuthority SSHFormats SecurityEvents ServerHTTP",
      "Crypto Logging ServiceLifecycle Hummingbird NIOCore HTTPTypes"),
    module(
      "Server/OpenIDProvider",
      "Bytes Concurrency PrivateFiles StrictJSON WebAddresses BindingFormats JOSE OpenIDFormats PushFormats",
      "Accounts JourneyEngine JourneyFiles JourneyNodes JourneyStore Operations PageTemplates Pages",
      "PushService PushTransports SecurityEvents ServerHTTP Crypto Logging ServiceLifecycle Hummingbird",
      "NIOCore HTTPTypes"),
    module(
      "Server/Assembly",
      "Bytes Concurrency PrivateFiles ProductVersion StrictJSON TerminalText WebAddresses AppIntegrity",
      "EvidenceLedger KeyAttestation Accounts JourneyEngine JourneyFiles JourneyNodes JourneyScripts",
      "JourneyStore JourneyStorePostgres MailService OpenIDProvider Operations Pages",
      "PasswordHashing PasswordRules PushService PushTransports RestAPI SSHAuthority SecurityEvents ServerHTTP",
      "Logging ServiceLifecycle UnixSignals Hummingbird HummingbirdCore NIOCore CoreMetrics Tracing"),

    // Tools
    module(
      "Tools/AttestationAuthority", "Bytes PrivateFiles KeyAttestation Crypto CryptoExtras X509 SwiftASN1"),
    module("Tools/CommandSettings", "Bytes PrivateFiles TOML"),
    // A journey's driver, and devices that speak the formats alone: in tests' tools, loads and benchmarks.
    module(
      "Tools/JourneyDriving", "Bytes StrictJSON BindingFormats JOSE PushFormats SigningTransactions Crypto"),
    module(
      "Tools/LoadTesting", "Bytes Concurrency PrivateFiles StrictJSON TerminalText WebAddresses",
      "BindingFormats JourneyDriving Plots PushFormats WebAuthnFormats Crypto NIOCore NIOPosix",
      "NIOHTTP1 NIOSSL AsyncHTTPClient Histogram"),
    module("Tools/QRCodeReader", "CPNG RuntimeLibraries"),
    module(
      "Tools/SealringTesting", "Bytes Concurrency StrictJSON BindingFormats SigningTransactions PingDeviceId",
      "Accounts JourneyDriving JourneyEngine JourneyNodes PasswordHashing Logging",
      and: clientModules + serverModules),
    module(
      "Tools/JourneyTesting",
      "Bytes Concurrency PrivateFiles StrictJSON BindingFormats JourneyDriving OATH PushFormats DeviceKeys",
      "UserVerification WebAuthnAuthenticator PingBinding PingDeviceId PingDeviceProfile PingFido PingJourney",
      "PingJourneyPlugin PingNetwork PingOrchestrate PingStorage JourneyEngine JourneyNodes JourneyFiles",
      "Assembly SealringTesting Yams"),
    // `serve`, and what commands need: in both programs below.
    module(
      "Tools/ServerCommand", "Bytes Concurrency PrivateFiles StrictJSON TerminalText KeyAttestation",
      "WebAuthnVerification JourneyStore Accounts JourneyNodes JourneyScripts JourneyFiles Assembly MailService",
      "PushTransports CommandSettings Logging NIOCore ArgumentParser"),
    module("Tools/SoftwareTPM", "Concurrency RuntimeLibraries"),
    program(
      "Tools/sealring",
      "Bytes Concurrency PrivateFiles ProductVersion RuntimeLibraries StrictJSON TerminalText WebAddresses",
      "CEmbeddedFiles BackupFormats BindingFormats EvidenceLedger JOSE JourneyGraphs KeyAttestation QRCodes SigningTransactions",
      "CTAPAuthenticator DesktopPrompts DeviceKeysPKCS11 DeviceKeysTPM PersonPrompts SecurityKeys TerminalPrompts",
      "UserVerificationFprintd UserVerificationPAM WebAuthnAuthenticator",
      "Agent PAMAgent SSHFormats GeoClueLocation PingCommons PingDeviceClient PingDeviceProfile PingFido PingOath PingPush",
      "Accounts JourneyEngine JourneyNodes JourneyScripts JourneyFiles Operations JourneyStorePostgres OpenIDProvider PasswordHashing",
      "PasswordRules SSHAuthority SecurityEvents AttestationAuthority CommandSettings JourneyTesting LoadTesting QRCodeReader",
      "JourneyDriving SealringTesting ServerCommand SoftwareTPM Crypto Logging UnixSignals ArgumentParser",
      and: ["PingOidc"] + clientModules + serverModules),
    // The examples that tests play; an app has them as packages of their own.
    program(
      "provider", "PingExternalIdP PingJourney PingJourneyPlugin PingLogger PingOrchestrate PingStorage",
      in: "Examples/Provider/Sources"),
    program("screen", "PingOidc PingStorage", in: "Examples/Screen/Sources"),
    // `sealring serve`, and no more.
    program(
      "Tools/sealring-server",
      "PrivateFiles ProductVersion JourneyScripts ServerCommand NIOCore NIOHTTP1 NIOSSL AsyncHTTPClient",
      "ArgumentParser"),

    // Tests
    module(
      "Support/AuthenticatorFixtures",
      "Bytes CBOR StrictJSON KeyAttestation WebAuthnFormats Crypto X509 SwiftASN1",
      in: "Tests"),
    module("Support/CommandFixtures", "StrictJSON SealringTesting CommonFixtures", in: "Tests"),
    module("Support/CommonFixtures", "Concurrency RuntimeLibraries Logging", in: "Tests"),
    module("Support/DeviceKeyFixtures", "JOSE DeviceKeys", in: "Tests"),
    module("Support/LegacyFixtures", "Concurrency", in: "Tests"),
    module(
      "Support/PersonFixtures",
      "Concurrency DesktopPrompts MessageBus UserVerification UserVerificationFprintd",
      "UserVerificationPAM CommonFixtures", in: "Tests"),
    module(
      "Support/SecurityKeyFixtures",
      "Concurrency CTAP CTAPAuthenticator DeviceKeys PersonPrompts WebAuthnAuthenticator", in: "Tests"),
    module("Support/OpenIDFixtures", "Bytes Concurrency StrictJSON JOSE Crypto", in: "Tests"),
    module("Support/PostgresFixtures", "Concurrency SoftwareTPM", in: "Tests"),
    module("Support/TokenFixtures", "RuntimeLibraries CommonFixtures", in: "Tests"),
    program("Support/ScriptHost", "JourneyScripts", in: "Tests"),
    module(
      "Support/ProofFixtures", "Bytes StrictJSON JOSE OpenIDFormats SSHFormats Crypto CryptoExtras",
      in: "Tests"),
    module(
      "Support/PushServiceFixtures", "Bytes Concurrency StrictJSON Crypto X509 SwiftASN1 NIOCore",
      "NIOPosix NIOHTTP1 NIOHTTP2 NIOSSL", in: "Tests"),
    tests("Core/BytesTests"),
    tests("Core/ConcurrencyTests"),
    tests(
      "Core/CoreTests", "PrivateFiles ProductVersion TerminalText WebAddresses PingCommons",
      "PingLogger PingNetwork PingStorage ProofFixtures Logging", and: []),
    tests("Core/StrictJSONTests"),
    tests("Formats/AppIntegrityTests", "KeyAttestation AuthenticatorFixtures Crypto"),
    tests("Formats/BindingFormatsTests", "SigningTransactions ProofFixtures Crypto"),
    tests("Formats/CBORTests"),
    tests("Formats/CTAPTests", "CBOR Crypto"),
    tests("Formats/EvidenceLedgerTests", "JOSE SigningTransactions Crypto"),
    tests("Formats/JOSETests", "Crypto CryptoExtras"),
    tests("Formats/JourneyGraphsTests"),
    tests("Formats/KeyAttestationTests", "JOSE Crypto CryptoExtras X509 SwiftASN1"),
    tests("Formats/OATHTests"),
    tests("Formats/OpenIDFormatsTests", "JOSE Crypto"),
    tests("Formats/PlotsTests"),
    tests("Formats/PushFormatsTests"),
    tests("Formats/QRCodesTests", "RuntimeLibraries QRCodeReader"),
    tests("Formats/QueryFiltersTests"),
    tests("Formats/SigningTransactionsTests", "Crypto"),
    tests("Formats/SSHFormatsTests", "RuntimeLibraries ProofFixtures Crypto CryptoExtras"),
    tests("Formats/TOMLTests"),
    tests("Formats/WebAuthnFormatsTests", "CBOR Crypto"),
    tests(
      "Formats/WebAuthnVerificationTests",
      "CBOR JOSE KeyAttestation WebAuthnFormats Crypto CryptoExtras X509 SwiftASN1"),
    tests("Device/DeviceKeysAppleTests", "JOSE DeviceKeys UserVerification Crypto"),
    tests(
      "Device/DeviceKeysTPMTests", "CTSS2 KeyAttestation DeviceKeys SoftwareTPM ProofFixtures Crypto X509",
      "SwiftASN1"),
    tests(
      "Device/DeviceKeysPKCS11Tests", "Cryptoki JOSE DeviceKeys ProofFixtures TokenFixtures"),
    tests("Device/DeviceKeysTests", "JOSE"),
    tests(
      "Device/DesktopPromptsTests",
      "DeviceKeys PersonPrompts UserVerification UserVerificationFprintd PersonFixtures"),
    tests("Device/PersonPromptsTests", "TerminalPrompts"),
    tests("Device/UserVerificationFprintdTests", "MessageBus UserVerification PersonFixtures"),
    tests("Device/UserVerificationPAMTests", "UserVerification PersonFixtures"),
    tests("Device/UserVerificationTests", "DeviceKeys"),
    tests(
      "Device/WebAuthnAuthenticatorTests", "CBOR KeyAttestation WebAuthnFormats WebAuthnVerification",
      "DeviceKeys DeviceKeysTPM UserVerification SoftwareTPM DeviceKeyFixtures Crypto X509 SwiftASN1"),
    tests(
      "Device/CTAPAuthenticatorTests",
      "RuntimeLibraries CBOR CTAP WebAuthnFormats DeviceKeys DeviceKeysTPM PersonPrompts UserVerification",
      "UserVerificationFprintd WebAuthnAuthenticator SoftwareTPM PersonFixtures Crypto"),
    tests(
      "Device/SecurityKeysTests",
      "CBOR CTAP CTAPAuthenticator DeviceKeys WebAuthnAuthenticator WebAuthnFormats",
      "SecurityKeyFixtures Crypto"),
    tests(
      "Client/AgentTests",
      "RuntimeLibraries JOSE SSHFormats DeviceKeys PersonPrompts WebAuthnAuthenticator ProofFixtures Crypto"),
    tests(
      "Client/PAMAgentTests",
      "PrivateFiles RuntimeLibraries JOSE PushFormats SigningTransactions DeviceKeys DeviceKeysTPM PersonPrompts UserVerification",
      "UserVerificationPAM Agent PingJourney PingJourneyPlugin PingOrchestrate JourneyDriving",
      "SealringTesting SoftwareTPM Assembly ServerHTTP PushServiceFixtures Crypto"),
    tests(
      "Client/DocumentationTests", "SigningTransactions DeviceKeys DeviceKeysTPM UserVerification",
      "UserVerificationFprintd UserVerificationPAM FRDeviceBinding PingBinding PingCommons PingDeviceClient",
      "PingFido PingJourney PingJourneyPlugin PingLogger PingOath PingOrchestrate PingPush SealringTesting",
      and: []),
    tests(
      "Client/FRAuthTests",
      "LegacyFixtures AppIntegrity JOSE KeyAttestation DeviceKeys UserVerification WebAuthnAuthenticator PingFido",
      "PingJourney PingOrchestrate PingStorage AuthenticatorFixtures Crypto"),
    tests(
      "Client/FRDeviceBindingTests",
      "LegacyFixtures BindingFormats DeviceKeys UserVerification WebAuthnAuthenticator",
      "FRAuth FRCore PingBinding PingFido PingJourney PingOrchestrate PingStorage JourneyStore SealringTesting"
    ),
    tests(
      "Client/PingBindingTests", "PrivateFiles KeyAttestation SigningTransactions DeviceKeys",
      "TerminalPrompts UserVerification PingDeviceClient PingDeviceId PingJourney PingJourneyPlugin",
      "PingLogger PingOrchestrate PingStorage Assembly JourneyStore SealringTesting DeviceKeyFixtures",
      "ProofFixtures Crypto"),
    tests("Client/PingBrowserTests"),
    tests("Client/PingDeviceClientTests", "PingNetwork PingOrchestrate"),
    tests("Client/PingDeviceIdTests", "PrivateFiles PingLogger PingStorage Crypto"),
    tests(
      "Client/PingDeviceProfileTests", "MessageBus GeoClueLocation PingDeviceId PingJourney",
      "PingJourneyPlugin PingLogger PingOrchestrate PingStorage PingTamperDetector SealringTesting",
      "PersonFixtures"),
    tests(
      "Client/PingExternalIdPTests", "PingBrowser PingJourney PingJourneyPlugin PingOrchestrate PingStorage",
      "JourneyNodes Assembly SealringTesting OpenIDFixtures HTTPTypes Hummingbird HummingbirdTesting",
      "NIOCore"),
    tests(
      "Client/PingFidoTests", "PrivateFiles WebAuthnFormats WebAuthnVerification DeviceKeys SecurityKeys",
      "UserVerification WebAuthnAuthenticator PingJourney PingJourneyPlugin PingOrchestrate PingStorage",
      "SecurityKeyFixtures"),
    tests(
      "Client/PingJourneyTests", "PingJourneyPlugin PingLogger PingOidc PingOrchestrate PingStorage",
      "OpenIDFixtures"),
    tests("Client/LegacyMigrationTests"),
    tests("Client/PingOathTests", "PrivateFiles PingCommons PingLogger PingStorage SealedRecords GRDB"),
    tests(
      "Client/PingOidcTests",
      "DeviceKeys PrivateFiles PingBrowser PingOrchestrate PingStorage OpenIDFixtures ProofFixtures"),
    tests("Client/PingOrchestrateTests", "PingLogger PingNetwork PingStorage"),
    tests(
      "Client/PingPushTests", "PrivateFiles PushFormats PingCommons PingDeviceClient PingLogger PingNetwork",
      "PingOrchestrate PingStorage PingTamperDetector SealedRecords GRDB"),
    tests("Client/PingTamperDetectorTests", "PingCommons"),
    tests("Server/AuthorizationPoliciesTests"),
    tests(
      "Server/CrossOriginTests", "Accounts Hummingbird HummingbirdTesting HTTPTypes",
      and: ["Assembly", "JourneyNodes", "Operations", "ServerHTTP"]),
    tests(
      "Server/FederationTests", "OpenIDFixtures Hummingbird HummingbirdTesting HTTPTypes NIOCore",
      and: ["Assembly", "JourneyEngine", "JourneyNodes", "ServerHTTP"]),
    tests("Server/JourneyEngineTests", "Crypto"),
    tests(
      "Server/JourneyNodesTests",
      "AppIntegrity BindingFormats EvidenceLedger KeyAttestation OATH PushFormats",
      "SigningTransactions WebAuthnFormats WebAuthnVerification Accounts AuthorizationPolicies JourneyEngine",
      "JourneyScripts JourneyStore MailService PushService SecurityEvents AuthenticatorFixtures ProofFixtures",
      "Crypto CryptoExtras X509",
      "SwiftASN1 Logging"),
    tests(
      "Server/ServerTests",
      "TerminalText WebAddresses BindingFormats CBOR EvidenceLedger OATH Accounts",
      "AuthorizationPolicies CEmbeddedFiles JourneyEngine JourneyNodes JourneyStore",
      "JourneyStorePostgres MailService PageTemplates PasswordHashing PushService",
      "PushTransports SSHAuthority SSHFormats SecurityEvents AuthenticatorFixtures PostgresFixtures ProofFixtures",
      "PushServiceFixtures TokenFixtures Cryptoki Crypto Logging ServiceLifecycle Hummingbird",
      "HummingbirdTesting NIOCore NIOPosix NIOEmbedded NIOTLS NIOHTTP1 NIOHTTPTypes NIOSSL AsyncHTTPClient",
      "HTTPTypes CoreMetrics Tracing",
      and: ["Assembly", "JourneyFiles", "OpenIDProvider", "Operations", "Pages", "RestAPI", "ServerHTTP"]),
    tests("Server/EmbeddedFilesTests", and: ["CEmbeddedFiles"]),
    tests("Server/JourneyScriptsTests"),
    tests("Server/JourneyStorePostgresTests", "BindingFormats JourneyStore PostgresFixtures Logging"),
    tests(
      "Server/JourneyStoreTests", "BackupFormats BindingFormats EvidenceLedger OATH",
      "JourneyStorePostgres PostgresFixtures Crypto GRDB"),
    tests("Server/MailServiceTests", "Logging"),
    tests("Server/OpenIDProviderTests", "JOSE OpenIDFormats JourneyStore"),
    tests("Server/PasswordHashingTests"),
    tests("Server/PageTemplatesTests"),
    tests("Server/PasswordRulesTests"),
    tests("Server/AccountsTests", "BindingFormats JourneyStore SecurityEvents Logging"),
    tests("Server/PushServiceTests", "BindingFormats PushFormats JourneyStore SecurityEvents Logging"),
    tests(
      "Server/PushTransportsTests", "BindingFormats JourneyStore ProofFixtures PushServiceFixtures Crypto",
      "Logging ServiceLifecycle WebAddresses NIOCore NIOPosix"),
    tests(
      "Server/SSHAuthorityTests",
      "BindingFormats EvidenceLedger SSHFormats KeyAttestation Accounts JourneyStore",
      "SecurityEvents AuthenticatorFixtures ProofFixtures Crypto Logging"),
    tests("Server/SecurityEventsTests", "Logging"),
    tests(
      "Tools/AttestationAuthorityTests", "KeyAttestation ProofFixtures Crypto CryptoExtras X509 SwiftASN1"),
    tests("Tools/CommandSettingsTests"),
    tests(
      "Tools/CommandTests",
      "PrivateFiles RuntimeLibraries BindingFormats OATH SigningTransactions DeviceKeys DeviceKeysTPM TerminalPrompts",
      "Agent SSHFormats Crypto PingBinding PingLogger PingNetwork PingDeviceClient PingOidc PingPush Accounts JourneyNodes Assembly",
      "JourneyStore ServerHTTP",
      "SealringTesting ServerCommand SoftwareTPM CommandFixtures PushServiceFixtures PingFido SecurityKeys sealring ArgumentParser",
      and: []),
    tests("Tools/JourneyTestingTests", "SealringTesting"),
    tests(
      "Tools/EndToEndTests",
      "LegacyFixtures PrivateFiles RuntimeLibraries BindingFormats EvidenceLedger KeyAttestation OATH",
      "SigningTransactions DeviceKeysTPM UserVerificationFprintd WebAuthnAuthenticator FRAuth PingDeviceClient",
      "PingBrowser PingFido PingOidc PingPush Accounts JourneyEngine JourneyNodes JourneyFiles PushTransports",
      "ServerHTTP AttestationAuthority QRCodeReader",
      "SealringTesting SoftwareTPM CommandFixtures PersonFixtures PostgresFixtures ProofFixtures",
      "AuthenticatorFixtures PushServiceFixtures SecurityKeyFixtures TokenFixtures Crypto X509 SwiftASN1 Logging",
      "Hummingbird NIOCore NIOHTTP1 NIOSSL AsyncHTTPClient HTTPTypes", and: clientModules + serverModules),
    tests("Tools/LoadTestingTests", "JourneyDriving ProofFixtures"),
    tests(
      "Tools/RedactionTests", "JOSE OATH PushFormats DeviceKeys DeviceKeysTPM UserVerification FRAuth",
      "PingDeviceClient PingJourney PingOath PingOidc PingPush PingStorage JourneyEngine Assembly",
      "Operations RestAPI ServerHTTP JourneyStore PasswordHashing sealring ArgumentParser", and: []),
  ]
)

/// The programs that tests start, beside what they are made of.
let started = [
  "EndToEndTests": ["screen", "sealring", "sealring-server"],
  "JourneyNodesTests": ["ScriptHost"],
  "JourneyScriptsTests": ["ScriptHost"],
  "PingExternalIdPTests": ["provider"],
  "ServerTests": ["ScriptHost"],
]

// `scripts/check` builds the tests of a few modules only: SEALRING_TESTS names their test targets, with spaces between them. The package then
// has another name, so that the test program of everything stays beside the small one.
if let chosen = Context.environment["SEALRING_TESTS"] {
  package.name = "check"
  package.products = []
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var needed: Set<String> = []
  var waiting = chosen.split(separator: " ").map(String.init)
  while let name = waiting.popLast() {
    guard let target = targets[name], needed.insert(name).inserted else { continue }
    for case .targetItem(let other, _) in target.dependencies { waiting.append(other) }
    waiting += started[name] ?? []
  }
  package.targets.removeAll { !needed.contains($0.name) }
}
