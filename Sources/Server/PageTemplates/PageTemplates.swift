internal import CEmbeddedFiles
internal import Mustache

/// One of the templates in the program.
package struct PageTemplate: Sendable {
  let name: String
  let bytes: [UInt8]

  init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  init(_ name: String, _ file: EmbeddedFile) {
    self.init(name, Array(UnsafeBufferPointer(start: file.start, count: file.count)))
  }
}

/// The pages' templates, ready to be shown.
///
/// Fields show text only, escaped (``HTMLText``); templates that could get around that are refused (``TemplateRules``). The field `t` has the
/// texts of the page's language: `{{t.section.name}}`.
package struct PageTemplates: Sendable {
  private let library: MustacheLibrary

  /// Those in the program, read once; a failure for a template that breaks a rule or does not parse.
  package static let all = Result { () throws(PageTemplateError) in try PageTemplates(PageTemplate.all) }

  init(_ templates: [PageTemplate]) throws(PageTemplateError) {
    MustacheContentTypes.register(HTMLText(), named: HTMLText.name)
    var library = MustacheLibrary()
    for template in templates {
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
  ) throws(PageTemplateError) -> String {
    var model = try PageValue.model(of: fields)
    model["t"] = texts.sections
    model["language"] = texts.language
    guard let html = library.render(model, withTemplate: template.name) else {
      throw PageTemplateError("There is no template \(template.name).")
    }
    return html
  }
}
