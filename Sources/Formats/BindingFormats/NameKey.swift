internal import Foundation

/// The form in which names of accounts and realms are compared, regardless of case.
///
/// Lower case by the Unicode mapping, which depends on no locale, then Normalization Form C: the case-mapping and
/// normalization rules of RFC 8265 §3.3 (UsernameCaseMapped). `ß` and `ss` stay different.
package enum NameKey {
  /// The same text for all spellings of one name.
  package static func folded(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
    return name.precomposedStringWithCanonicalMapping.lowercased().precomposedStringWithCanonicalMapping
  }
}
