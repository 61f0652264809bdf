import Foundation
import StrictJSON
import Testing

@testable import PageTemplates

@Suite("Escaping in templates") struct EscapingTests {
  private static let texts = Result { try Texts(parsing: Array("{}".utf8)) }

  private func html(_ template: String, _ fields: [String: PageValue], more: [String: String] = [:]) throws
    -> String
  {
    let all = more.merging(["page": template]) { $1 }.map { ($0.key, Array($0.value.utf8)) }
    return try PageTemplates(all).html(named: "page", fields, texts: try Self.texts.get())
  }

  @Test(arguments: [
    (#"<b onclick="x">'&"#, "&lt;b onclick=&quot;x&quot;&gt;&#39;&amp;"),
    // One Character with the accent, and still the end of an attribute.
    ("\"\u{301} onfocus=alert(1) <\u{338}script", "&quot;\u{301} onfocus=alert(1) &lt;\u{338}script"),
    ("'\u{200D}>", "&#39;\u{200D}&gt;"), ("a\u{0}b", "a\u{FFFD}b"), ("{{t.x}}", "{{t.x}}"),
    ("\u{202E}txet", "\u{202E}txet"), ("", ""),
  ])
  func `what a person wrote is text, in elements, attributes, partials and lists`(
    given: String, shown: String
  ) throws {
    let page = try html(
      #"<p title="{{name}}">{{name}}</p>{{#list}}<i>{{.}}</i>{{/list}}{{>part}}{{<frame}}{{$body}}<u>{{name}}</u>{{/body}}{{/frame}}"#,
      ["name": .text(given), "list": [.text(given)]],
      more: ["part": "<b>{{name}}</b>", "frame": "<s>{{name}}</s>{{$body}}{{/body}}"])
    #expect(
      page == "<p title=\"\(shown)\">\(shown)</p><i>\(shown)</i><b>\(shown)</b><s>\(shown)</s><u>\(shown)</u>"
    )
  }

  @Test(arguments: [
    "{{{name}}}", "{{&name}}", "{{=<% %>=}}", "{{%CONTENT_TYPE:TEXT}}", "<p title={{name}}>",
    "<p title='{{name}}'>",
    "<p {{name}}>", "<p onclick=\"x\">", "<p style=\"color: red\">", "<style>p {}</style>",
    "<script>x()</script>",
    "<script src=\"a.js\">x()</script>", "<a href=\"{{address}}\">", "<form action=\"{{t.a.b}}\">",
    "{{>*name}}",
    "<a href=\"{{#x}}{{address}}{{/x}}\">", "<iframe srcdoc=\"{{name}}\">", "<p title=\"", "{{name",
    "<p title=x>",
  ])
  func `a template that would show text as anything else is refused`(template: String) {
    #expect(throws: PageTemplateError.self) {
      try PageTemplates([("page", Array(template.utf8))])
    }
  }

  @Test func `an address is a link of this server, never a text that could name a scheme`() throws {
    let template = #"<a href="{{nextLink}}">x</a>"#
    #expect(throws: PageTemplateError.self) { try html(template, ["nextLink": "javascript:alert(1)"]) }
    let link = PageLink(
      root: .init(ofPage: "/am/account/a"), path: ["javascript:alert(1)", "..", "/", ""],
      query: [("q", "\"&=#ü"), ("none", nil)])
    #expect(
      try html(template, ["nextLink": .link(link)])
        == #"<a href="../javascript%3Aalert%281%29/-/%2F/?q=%22%26%3D%23%C3%BC">x</a>"#)
  }

  @Test(arguments: [
    ("/am/account/", "../"), ("/am/account", "./"), ("/am/account/devices/a", "../../"), ("/", "./am/"),
    ("/am", "./am/"), ("/am/", "./"), ("/x/y", "../am/"),
  ])
  func `a page finds the server's folder from where it is`(path: String, root: String) {
    #expect(PageLink.Root(ofPage: path).text == root)
  }

  @Test func `nothing hides what is further out`() throws {
    let page = try html(
      "{{#items}}[{{name}}]{{/items}}{{^none}}-{{/none}}",
      ["name": "outer", "items": [["name": .none], ["name": "own"]]])
    #expect(page == "[][own]-")
  }

  @Test func `all templates of the server can be used, and each is in the list`() throws {
    _ = try PageTemplates.all.get()
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Server/PageTemplates/Templates").standardizedFileURL
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path())
      .map { String($0.dropLast(".mustache".count)) }
    #expect(files.sorted() == PageTemplate.allCases.map(\.rawValue).sorted())
  }
}
