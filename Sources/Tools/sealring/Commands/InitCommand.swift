import ArgumentParser
import CEmbeddedFiles
import Foundation
import ProductVersion
import StrictJSON

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Begin a package that uses Sealring.", subcommands: [AppPackage.self])

  /// Writes `Examples/App` under another name. The example is built and tested; only its name and the path of Sealring change.
  struct AppPackage: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "app", abstract: "Write an app's package, with tests, for Linux and CI.",
      discussion: """
        The folder gets a library that binds a device and signs payments, a test of it that runs the real server in its own process, a \
        workflow file and a container image for CI. docs/your-app-on-linux.md explains each.
        """)

    @Argument(help: "The new folder. Its last part names the package and its module, such as Payments.")
    var folder: String

    @Option(
      help:
        "Where Sealring's package is: a URL of git, or a folder. A program that was built from source knows its folder."
    )
    var package: String?

    @OptionGroup var output: ResultOptions

    private static let files: [(path: String, file: EmbeddedFile)] = [
      ("Package.swift", .app_Package_swift),
      ("Sources/Payments/Payments.swift", .app_Payments_swift),
      ("Tests/PaymentsTests/PaymentsTests.swift", .app_PaymentsTests_swift),
      (".github/workflows/test.yml", .app_test_yml),
      (".gitignore", .app_gitignore),
      ("Containerfile", .app_Containerfile),
      ("README.md", .app_README_md),
    ]

    private var place: URL {
      URL(filePath: folder, directoryHint: .isDirectory).absoluteURL.standardizedFileURL
    }

    private var name: String { place.lastPathComponent }

    func validate() throws {
      guard name.wholeMatch(of: /[A-Za-z][A-Za-z0-9]{0,63}/) != nil else {
        throw ValidationError(
          "'\(name)' cannot name a module of Swift: use a letter, then up to 63 letters and digits.")
      }
      guard !["sealring", "sealringtesting", "foundation", "testing", "swift"].contains(name.lowercased())
      else { throw ValidationError("There is a module '\(name)' already: choose another name.") }
    }

    func run() throws {
      let dependency = try dependency()
      guard !FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) else {
        throw CommandFailure("\(folder) is there already. Nothing was written.")
      }
      for (path, file) in Self.files {
        let text = String(decoding: UnsafeBufferPointer(start: file.start, count: file.count), as: UTF8.self)
        let copy = place.appending(path: path.replacing("Payments", with: name))
        try FileManager.default.createDirectory(
          at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(dependency.written(into: text, name: name).utf8).write(to: copy)
      }
      output.done(
        "Wrote \(folder). Next: cd \(folder) && swift test",
        ["name": .string(name), "folder": .string(place.path(percentEncoded: false))])
    }

    private func dependency() throws -> SealringPackage {
      guard let package else {
        guard let source = SealringPackage.source else {
          throw ValidationError("Say with --package where Sealring's package is: a URL of git, or a folder.")
        }
        return .folder(source)
      }
      guard !package.contains("://") || !package.contains(where: \.isWhitespace) else {
        throw ValidationError("--package: an address has no spaces.")
      }
      if package.contains("://") || package.hasPrefix("git@") { return .address(package) }
      let folder = URL(filePath: package, directoryHint: .isDirectory).absoluteURL
      guard SealringPackage.isSource(folder) else {
        throw ValidationError("--package: there is no Package.swift of Sealring in \(package).")
      }
      return .folder(folder)
    }
  }
}

/// The location of Sealring's package, for an app's package.
private enum SealringPackage {
  case address(String)
  case folder(URL)

  /// The source folder that this program was built in, if there is one.
  static var source: URL? {
    guard var folder = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
    while folder.pathComponents.count > 1 {
      folder.deleteLastPathComponent()
      if isSource(folder) { return folder }
    }
    return nil
  }

  static func isSource(_ folder: URL) -> Bool {
    let manifest = try? String(contentsOf: folder.appending(path: "Package.swift"), encoding: .utf8)
    return manifest?.contains("name: \"sealring\"") == true
  }

  /// Adapts a file of the example to a package with another name.
  func written(into text: String, name: String) -> String {
    let here = #".package(name: "sealring", path: "../..")"#
    let text = text.replacing("Payments", with: name)
    switch self {
    case .folder(let folder):
      let path = folder.path(percentEncoded: false).literal
      return text.replacing(here, with: ".package(name: \"sealring\", path: \(path))")
    case .address(let address):
      // SwiftPM identifies a package by the last part of its address.
      let last = address.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? address
      let identity = last.hasSuffix(".git") ? String(last.dropLast(4)) : last
      return text.replacing(
        here, with: ".package(url: \(address.literal), .upToNextMinor(from: \"\(ProductVersion.text)\"))"
      ).replacing("package: \"sealring\"", with: "package: \(identity.literal)")
    }
  }
}

extension String {
  /// The text as a Swift string literal.
  fileprivate var literal: String {
    "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
