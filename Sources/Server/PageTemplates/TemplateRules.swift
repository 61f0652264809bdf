/// Rules for templates, so that nothing a page shows can become markup, a script or an address of another scheme.
///
/// Every template is checked when the server starts.
struct TemplateRules {
  private var rest: Substring.UnicodeScalarView
  private var isInTag = false

  /// Whether the reader is between an attribute's quotation marks.
  private var isInValue = false

  /// The text before a value: the attribute's name and `=`.
  private var attribute = ""

  /// The part of the value read so far.
  private var value = ""

  private init(_ text: String) { rest = text[...].unicodeScalars }

  /// Whether fields of this name hold addresses.
  static func isAddress(_ name: String) -> Bool { name == "root" || name.hasSuffix("Link") }

  /// - Throws: ``PageTemplateError`` with the problem and the template's name.
  static func check(_ text: String, name: String) throws(PageTemplateError) {
    var rules = TemplateRules(text)
    do throws(PageTemplateError) { try rules.check() } catch {
      throw PageTemplateError("\(name): \(error.problem)")
    }
  }

  private mutating func check() throws(PageTemplateError) {
    while let scalar = rest.popFirst() {
      if scalar == "{", rest.first == "{" {
        try field()
      } else if isInValue {
        if scalar == "\"" { try endValue() } else { value.unicodeScalars.append(scalar) }
      } else if isInTag {
        try inTag(scalar)
      } else if scalar == "<" {
        try startTag()
      }
    }
    guard !isInTag else { throw PageTemplateError("a tag does not end") }
  }

  private mutating func startTag() throws(PageTemplateError) {
    isInTag = true
    let element = String(rest.prefix { $0 != ">" && $0 != " " && $0 != "\n" })
    guard element != "style" else { throw PageTemplateError("styles stand in files of their own") }
    if element == "script" {
      let tag = String(rest.prefix { $0 != ">" })
      guard tag.contains(" src=\""), String(rest.dropFirst(tag.unicodeScalars.count)).hasPrefix("></script>")
      else {
        throw PageTemplateError("scripts stand in files of their own")
      }
    }
    attribute = ""
  }

  private mutating func inTag(_ scalar: Unicode.Scalar) throws(PageTemplateError) {
    switch scalar {
    case ">": isInTag = false
    case "\"":
      guard attribute.hasSuffix("=") else {
        throw PageTemplateError("a quotation mark in a tag has no attribute")
      }
      (isInValue, value) = (true, "")
    case "'": throw PageTemplateError("attributes stand in double quotation marks")
    case " ", "\n": attribute = ""
    default:
      guard !attribute.hasSuffix("=") else {
        throw PageTemplateError("attributes stand in double quotation marks")
      }
      attribute.unicodeScalars.append(scalar)
    }
  }

  private mutating func endValue() throws(PageTemplateError) {
    isInValue = false
    let name = attribute.dropLast().lowercased()
    guard !name.hasPrefix("on"), name != "style", name != "srcdoc" else {
      throw PageTemplateError("the attribute \(name) would be a script or a style in the page")
    }
    attribute = ""
  }

  /// Reads a Mustache tag, after its first brace.
  private mutating func field() throws(PageTemplateError) {
    rest.removeFirst()
    guard let first = rest.first else { throw PageTemplateError("a field does not end") }
    guard !["{", "&", "=", "%"].contains(first) else {
      throw PageTemplateError("{{\(first) would show text as it is")
    }
    let name = String(rest.prefix { $0 != "}" })
    rest = rest.dropFirst(name.unicodeScalars.count)
    guard rest.popFirst() == "}", rest.popFirst() == "}" else {
      throw PageTemplateError("a field does not end")
    }
    if name.hasPrefix(">*") || name.hasPrefix("<*") {
      throw PageTemplateError("a template named by data could be any")
    }
    guard !["#", "^", "/", ">", "<", "$", "!"].contains(first) else { return }
    guard isInTag else { return }
    guard isInValue else {
      throw PageTemplateError("the field \(name) stands in a tag and not in quotation marks")
    }
    let last = name.split(separator: ".").last.map(String.init) ?? name
    if ["href=", "src=", "action=", "formaction=", "poster=", "data="].contains(attribute.lowercased()) {
      guard !value.isEmpty || Self.isAddress(last) else {
        throw PageTemplateError(
          "the field \(name) starts an address, so its name must be root or end in Link")
      }
    }
    value += "x"
  }
}

/// A template that cannot be used, or a value that does not fit one.
package struct PageTemplateError: Error, CustomStringConvertible {
  let problem: String

  init(_ problem: String) { self.problem = problem }

  package var description: String { "A page's template cannot be used. \(problem)" }
}
