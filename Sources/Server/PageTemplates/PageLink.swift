internal import Bytes

/// An address on this server, relative to the page that it stands on, so that a proxy may put the server under a path of its own.
package struct PageLink: Sendable, Hashable {
  /// Ready for an attribute once it is escaped, and for `Location`.
  package let text: String

  /// - Parameters:
  ///   - root: how the page reaches the server's folder.
  ///   - path: segments below it, each encoded here; a last empty one makes a folder.
  ///   - query: parameters; those without a value are left out.
  package init(root: Root, path: [String] = [], query: [(String, String?)] = []) {
    let parameters = query.compactMap { name, value in
      value.map { "\(PercentEncoding.encode(name))=\(PercentEncoding.encode($0))" }
    }
    text =
      root.text + path.map(Self.segment).joined(separator: "/")
      + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
  }

  /// Browsers take `.` and `..` for folders, encoded, too.
  private static func segment(_ text: String) -> String {
    text == "." || text == ".." ? "-" : PercentEncoding.encode(text)
  }

  /// The way from a page to the folder `/am/`, in which the server's pages stand.
  package struct Root: Sendable, Hashable {
    package let text: String

    /// - Parameters:
    ///   - path: the page's path within the server, such as `/am/account/devices`.
    ///   - basePath: how browsers know `/am`.
    package init(ofPage path: String, below basePath: String = "/am") {
      let isBelow = path.hasPrefix("/am/")
      let depth = path.utf8.dropFirst(isBelow ? 4 : 1).count { $0 == UInt8(ascii: "/") }
      let steps = depth == 0 ? "./" : String(repeating: "../", count: depth)
      if isBelow {
        text = steps
      } else if path == "/am" {
        text = "./\(basePath.split(separator: "/").last ?? "am")/"
      } else {
        text = steps + basePath.dropFirst() + "/"
      }
    }
  }
}
