// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "approver",
  platforms: [.macOS(.v14)],
  dependencies: [
    // An app of its own writes .package(url: …) here.
    .package(name: "sealring", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "approver",
      dependencies: [
        "PingJourney", "PingJourneyPlugin", "PingLogger", "PingOath", "PingOrchestrate", "PingPush",
        "PingStorage",
      ].map { .product(name: $0, package: "sealring") })
  ])
