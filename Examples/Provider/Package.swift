// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "provider",
  platforms: [.macOS(.v14)],
  dependencies: [
    // An app of its own writes .package(url: …) here.
    .package(name: "sealring", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "provider",
      dependencies: [
        "PingExternalIdP", "PingJourney", "PingJourneyPlugin", "PingLogger", "PingOrchestrate", "PingStorage",
      ].map { .product(name: $0, package: "sealring") })
  ])
