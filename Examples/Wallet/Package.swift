// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "wallet",
  platforms: [.macOS(.v14), .iOS(.v16)],
  products: [.library(name: "WalletCore", targets: ["WalletCore"])],
  dependencies: [
    // An app of its own writes .package(url: …) here.
    .package(name: "sealring", path: "../..")
  ],
  targets: [
    .target(
      name: "WalletCore",
      dependencies: [
        "PingBinding", "PingDeviceClient", "PingJourney", "PingJourneyPlugin", "PingLogger", "PingNetwork",
        "PingOrchestrate", "PingStorage",
      ].map { .product(name: $0, package: "sealring") }),
    .executableTarget(
      name: "wallet",
      dependencies: ["WalletCore"]
        + ["PingBinding", "PingStorage"].map { .product(name: $0, package: "sealring") }),
    .testTarget(
      name: "WalletCoreTests",
      dependencies: ["WalletCore", .product(name: "SealringTesting", package: "sealring")]),
  ])
