internal import Mustache

/// The pages' templates, ready for rendering.
///
/// Fields show text only, escaped (``HTMLText``). ``TemplateRules`` refuses templates that could bypass this. The field `t` has the texts
/// of the page's language: `{{t.section.name}}`.
package struct PageTemplates: Sendable {
  private let library: MustacheLibrary

  /// The embedded templates, read once; a failure when one breaks a rule or does not parse.
  package static let all = Result { () throws(PageTemplateError) in
    try PageTemplates(PageTemplate.allCases.map { ($0.rawValue, $0.bytes) })
  }

  init(_ templates: [(name: String, bytes: [UInt8])]) throws(PageTemplateError) {
    MustacheContentTypes.register(HTMLText(), named: HTMLText.name)
    var library = MustacheLibrary()
    for template in templates {
      guard !template.bytes.isEmpty else { throw PageTemplateError("\(template.name) is missing") }
      let text = String(decoding: template.bytes, as: UTF8.self)
      try TemplateRules.check(text, name: template.name)
      // Every partial starts with the library's own escaping, so each one sets ours.
      let marked = "{{% CONTENT_TYPE:\(HTMLText.name)}}" + text
      do { try library.register(marked, named: template.name) } catch {
        throw PageTemplateError("\(template.name): \(error)")
      }
    }
    self.library = library
  }

  /// - Throws: ``PageTemplateError`` for a text in an address field, or an unknown template.
  package func html(
    _ template: PageTemplate, _ fields: [String: PageValue], texts: Texts
  ) throws(PageTemplateError) -> String { try html(named: template.rawValue, fields, texts: texts) }

  func html(
    named name: String, _ fields: [String: PageValue], texts: Texts
  ) throws(PageTemplateError) -> String {
    var model = try PageValue.model(of: fields)
    model["t"] = texts.sections
    model["language"] = texts.language
    guard let html = library.render(model, withTemplate: name) else {
      throw PageTemplateError("There is no template \(name).")
    }
    return html
  }
}
