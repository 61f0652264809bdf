import Foundation
import Testing

/// Pages that lead to each other: whoever renames a page or a section sees here who pointed to it.
@Suite struct LinkTests {
  private static let pages: [String] = {
    let folders = ["", "docs", "Examples/Wallet"]
    let pages = folders.flatMap { folder -> [String] in
      let url = Article.repository.appending(path: folder)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
      return names.filter { $0.hasSuffix(".md") }.sorted().map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
    }
    return pages
  }()

  @Test func `the pages are found`() { #expect(Self.pages.count > 15) }

  @Test(arguments: pages)
  func `each link leads to a file and a section that are there`(page: String) throws {
    let file = Article.repository.appending(path: page)
    for link in try Self.links(in: file) {
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let target =
        parts[0].isEmpty
        ? file : file.deletingLastPathComponent().appending(path: parts[0]).standardizedFileURL
      guard FileManager.default.fileExists(atPath: target.path) else {
        Issue.record("\(page) links to \(link), which is not there")
        continue
      }
      guard parts.count == 2 else { continue }
      #expect(try Self.sections(of: target).contains(parts[1]), "\(page) links to \(link): no such section")
    }
  }

  @Test func `the index names every page`() throws {
    let index = try Set(Self.links(in: Article.repository.appending(path: "docs/README.md")))
    for page in Self.pages where page.hasPrefix("docs/") && page != "docs/README.md" {
      #expect(index.contains(String(page.dropFirst("docs/".count))), "\(page) is not in docs/README.md")
    }
  }

  /// The targets of a page's links, without those to the web. Code is left out.
  private static func links(in page: URL) throws -> [String] {
    let text = try String(contentsOf: page, encoding: .utf8)
    let prose = text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }
      .map(\.element).joined()
    return prose.components(separatedBy: "](").dropFirst().compactMap {
      $0.components(separatedBy: ")").first
    }
    .filter { !$0.contains("://") && !$0.contains(" ") }
  }

  /// The anchors of a page's headings: lower case, blanks as hyphens, nothing but letters, digits and hyphens.
  private static func sections(of page: URL) throws -> Set<String> {
    let text = try String(contentsOf: page, encoding: .utf8)
    return Set(
      text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
        String(
          line.drop { $0 == "#" }.trimmingPrefix(" ").lowercased().map { $0 == " " ? "-" : $0 }
            .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
      })
  }
}
