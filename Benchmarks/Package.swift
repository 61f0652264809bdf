// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that who depends on Sealring neither resolves nor builds the benchmarks.

let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "sealring-benchmarks",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "sealring", path: ".."),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // What every benchmark prints.
    .target(name: "BenchmarkReport", swiftSettings: house),

    // Servers as processes of their own.
    .target(
      name: "BenchmarkServer",
      dependencies: [
        .product(name: "SealringServer", package: "sealring"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: house),

    .executableTarget(
      name: "jws-bench",
      dependencies: [
        "BenchmarkReport",
        .product(name: "JOSE", package: "sealring"),
        .product(name: "StrictJSON", package: "sealring"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: house),

    // The commands of the TPM, without Sealring.
    .systemLibrary(
      name: "CTPM", path: "Sources/CTPM", pkgConfig: "tss2-esys tss2-tctildr",
      providers: [.apt(["libtss2-dev"])]),

    .executableTarget(
      name: "tpm-bench",
      dependencies: [
        "BenchmarkReport", "CTPM",
        .product(name: "DeviceKeys", package: "sealring"),
        .product(name: "DeviceKeysTPM", package: "sealring"),
        .product(name: "SoftwareTPM", package: "sealring"),
        .product(name: "JOSE", package: "sealring"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ],
      swiftSettings: house),

    .executableTarget(
      name: "audit-bench",
      dependencies: [
        "BenchmarkReport",
        .product(name: "_ForBenchmarks", package: "sealring"),
        .product(name: "JOSE", package: "sealring"),
        .product(name: "StrictJSON", package: "sealring"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: house),

    .executableTarget(
      name: "script-bench",
      dependencies: [
        "BenchmarkReport",
        .product(name: "SealringServer", package: "sealring"),
        .product(name: "_ForBenchmarks", package: "sealring"),
        .product(name: "StrictJSON", package: "sealring"),
      ],
      swiftSettings: house),

    .executableTarget(
      name: "parts-bench",
      dependencies: [
        "BenchmarkReport",
        .product(name: "SealringServer", package: "sealring"),
        .product(name: "_ForBenchmarks", package: "sealring"),
        .product(name: "StrictJSON", package: "sealring"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: house),

    .executableTarget(
      name: "webauthn-bench",
      dependencies: [
        "BenchmarkReport",
        .product(name: "WebAuthnFormats", package: "sealring"),
        .product(name: "_ForBenchmarks", package: "sealring"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: house),

    .executableTarget(
      name: "signin-bench",
      dependencies: [
        "BenchmarkReport", "BenchmarkServer",
        .product(name: "SealringServer", package: "sealring"),
        .product(name: "_ForBenchmarks", package: "sealring"),
        .product(name: "Bytes", package: "sealring"),
        .product(name: "JOSE", package: "sealring"),
        .product(name: "StrictJSON", package: "sealring"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: house),

    .executableTarget(
      name: "push-bench",
      dependencies: [
        "BenchmarkReport", "BenchmarkServer",
        .product(name: "SealringServer", package: "sealring"),
        .product(name: "_ForBenchmarks", package: "sealring"),
        .product(name: "StrictJSON", package: "sealring"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: house),
  ]
)
