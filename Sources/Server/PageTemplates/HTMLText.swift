internal import Bytes
internal import Mustache

/// Escapes what templates show (``MarkupText``).
///
/// It replaces the library's own escaping, which looks at `Character`s: a quotation mark before a combining accent would end the
/// attribute.
struct HTMLText: MustacheContentType {
  static let name = "SEALRING_HTML"

  func escapeText(_ text: String) -> String { MarkupText.html(text) }
}
