public import Foundation

extension Locale {
  /// The languages that the user prefers, best first. See ``userLanguages``.
  // Newer Foundations have a member of this name. Apps then get theirs, because two equal candidates would be ambiguous.
  @_disfavoredOverload
  public static var preferredLocales: [Locale] { userLanguages }

  /// The languages that the user prefers, best first.
  ///
  /// On Apple platforms they come from the settings, elsewhere from the environment (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`,
  /// `LANG`); the C locale has none. Foundation on Linux does not read the environment.
  package static var userLanguages: [Locale] {
    #if canImport(Darwin)
      preferredLanguages.map { Locale(identifier: $0) }
    #else
      preferredLocales(environment: ProcessInfo.processInfo.environment)
    #endif
  }

  /// The languages that the environment variables ask for, as GNU gettext reads them.
  package static func preferredLocales(environment: [String: String]) -> [Locale] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    // gettext ignores LANGUAGE in the C locale.
    guard let single = languageTag(locale) else { return [] }
    let several = (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap { languageTag(String($0)) }
    return (several.isEmpty ? [single] : several).map { Locale(identifier: $0) }
  }
}

extension [Locale] {
  /// The value of an `Accept-Language` header (RFC 9110 §12.5.4): each locale followed by its language alone, with
  /// weights from 1 down to 0.1. Empty without locales.
  public func toAcceptLanguage() -> String {
    var tags: [String] = []
    for tag in compactMap({ languageTag($0.identifier) }) {
      tags.append(tag)
      let language = String(tag.prefix { $0 != "-" })
      if language != tag { tags.append(language) }
    }
    return tags.enumerated().map { position, tag in
      position == 0 ? tag : "\(tag);q=0.\(Swift.max(10 - position, 1))"
    }.joined(separator: ", ")
  }
}

/// The language tag (BCP 47) in a locale's name such as `de_CH.UTF-8@euro`; `nil` when there is none.
///
/// Only letters, digits and hyphens are allowed: the tag becomes part of a header.
private func languageTag(_ locale: String) -> String? {
  let tag = locale.prefix { $0 != "." && $0 != "@" }.replacingOccurrences(of: "_", with: "-")
  let isTag = tag.allSatisfy { $0.isASCII && ($0 == "-" || $0.isLetter || $0.isNumber) }
  guard isTag, !tag.isEmpty, tag != "C", tag != "POSIX" else { return nil }
  return tag
}
