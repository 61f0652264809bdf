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
  ],
  targets: [
    // What every benchmark prints.
    .target(name: "BenchmarkReport", swiftSettings: house),

    .executableTarget(
      name: "jws-bench",
      dependencies: [
        "BenchmarkReport",
        .product(name: "JOSE", package: "sealring"),
        .product(name: "StrictJSON", package: "sealring"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: house),
  ]
)
