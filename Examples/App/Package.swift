// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Payments",
  platforms: [.macOS(.v14), .iOS(.v16)],
  products: [.library(name: "Payments", targets: ["Payments"])],
  dependencies: [
    .package(name: "sealring", path: "../..")
  ],
  targets: [
    .target(
      name: "Payments",
      dependencies: ["PingBinding", "PingJourney", "PingJourneyPlugin", "PingOrchestrate"]
        .map { .product(name: $0, package: "sealring") }),
    .testTarget(
      name: "PaymentsTests",
      dependencies: ["Payments", .product(name: "SealringTesting", package: "sealring")]),
  ])
