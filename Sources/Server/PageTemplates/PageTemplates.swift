internal import Mustache

/// The pages' templates, ready to be shown.
///
/// Fields show text only, escaped (``HTMLText``); templates that could get around that are refused (``TemplateRules``). The field `t` has the
/// texts of the page's language: `{{t.section.name}}`.
package struct PageTemplates: Sendable {
  private let library: MustacheLibrary

  /// Those in the program, read once; a failure for a template that breaks a rule or does not parse.
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
      // Each partial begins with the library's own escaping again, hence in each.
      let marked = "{{% CONTENT_TYPE:\(HTMLText.name)}}" + text
      do { try library.register(marked, named: template.name) } catch {
        throw PageTemplateError("\(template.name): \(error)")
      }
    }
    self.library = library
  }

  /// - Throws: ``PageTemplateError`` when a text stands where an address belongs, or the template is not among these.
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
