internal import Foundation
internal import PingCommons
internal import PingJourneyPlugin
public import PingOrchestrate

/// What a page node says about the page that shows its callbacks.
extension ContinueNode {
  /// The title, which may hold HTML; `""` without one.
  public var header: String { input["header"] as? String ?? "" }

  /// The text below the title, which may hold HTML; `""` without one.
  public var description: String { input["description"] as? String ?? "" }

  /// The stage: a free token, or JSON text with the page's button, footer and theme; `""` without one.
  ///
  /// Servers of the 6.x line send it in a MetadataCallback.
  public var stage: String { input["stage"] as? String ?? metadataStage ?? "" }

  /// The text of the submit button in the person's language; `""` without one.
  public var submitButtonText: String { stageText("submitButtonText", languages: preferredLanguages) }

  /// The page's footer in the person's language; `""` without one.
  public var pageFooter: String { stageText("pageFooter", languages: preferredLanguages) }

  private var preferredLanguages: [String] { Locale.userLanguages.map(\.identifier) }

  /// The text `name` of a stage that is JSON.
  ///
  /// It is the translation for the first of `languages` that has one, where the language with its region is tried before the
  /// language alone. Otherwise it is the first translation by name.
  func stageText(_ name: String, languages: [String]) -> String {
    guard let stage = try? JSONSerialization.jsonObject(with: Data(stage.utf8)) as? [String: Any],
      let texts = stage[name] as? [String: Any]
    else { return "" }
    let translations = Dictionary(
      texts.compactMap { language, text in (text as? String).map { (Self.folded(language), $0) } },
      uniquingKeysWith: { first, _ in first })
    for language in languages.map(Self.folded) {
      if let text = translations[language] { return text }
      if let text = translations[String(language.prefix { $0 != "-" })] { return text }
    }
    return translations.min { $0.key < $1.key }?.value ?? ""
  }

  private static func folded(_ language: String) -> String {
    language.lowercased().replacingOccurrences(of: "_", with: "-")
  }

  private var metadataStage: String? {
    let callbacks = input[JourneyConstants.callbacks] as? [[String: Any]] ?? []
    for callback in callbacks where callback[JourneyConstants.type] as? String == "MetadataCallback" {
      for output in callback[JourneyConstants.output] as? [[String: Any]] ?? [] {
        let data = output[JourneyConstants.value] as? [String: Any]
        if let stage = data?["stage"] as? String { return stage }
      }
    }
    return nil
  }
}
