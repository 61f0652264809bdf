// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "screen",
  platforms: [.macOS(.v14)],
  dependencies: [
    // An app of its own writes .package(url: …) here.
    .package(name: "sealring", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "screen",
      dependencies: ["PingOidc", "PingStorage"].map { .product(name: $0, package: "sealring") })
  ])
