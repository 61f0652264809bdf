internal import Bytes

/// An address on this server, relative to the page that contains it, so that a proxy may serve the server under another path.
package struct PageLink: Sendable, Hashable {
  /// The address for an attribute (after escaping) and for `Location`.
  package let text: String

  /// - Parameters:
  ///   - root: the relative path from the page to the server's folder.
  ///   - path: segments below the root, which are encoded here; an empty last one makes a folder.
  ///   - query: parameters; those without a value are left out.
  package init(root: Root, path: [String] = [], query: [(String, String?)] = []) {
    let parameters = query.compactMap { name, value in
      value.map { "\(PercentEncoding.encode(name))=\(PercentEncoding.encode($0))" }
    }
    text =
      root.text + path.map(Self.segment).joined(separator: "/")
      + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
  }

  /// Replaces `.` and `..`, because browsers treat them as folders even when encoded.
  private static func segment(_ text: String) -> String {
    text == "." || text == ".." ? "-" : PercentEncoding.encode(text)
  }

  /// The relative path from a page to the folder `/am/`, which contains the server's pages.
  package struct Root: Sendable, Hashable {
    package let text: String

    /// - Parameters:
    ///   - path: the page's path within the server, such as `/am/account/devices`.
    ///   - basePath: the path under which browsers reach `/am`.
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
