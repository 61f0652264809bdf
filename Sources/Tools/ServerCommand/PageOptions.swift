import ArgumentParser
import Assembly
import Foundation

/// The options for web pages.
struct PageOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help: ArgumentHelp(
      "File with the looks and texts of the sign-in page, by realm and journey (docs/sign-in-page.md).",
      valueName: "file"))
  var pageThemes: String?

  func apply(to configuration: inout ServerConfiguration) throws {
    guard let pageThemes else { return }
    configuration.pageThemes = try PageThemes(file: URL(filePath: pageThemes))
    for warning in configuration.pageThemes.warnings { Output.remark("Advice: \(warning)") }
  }
}
