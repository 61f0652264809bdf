internal import StrictJSON

/// A policy's pattern of resources: `https://*.example.com:443/orders/-*-`.
///
/// `*` matches any characters except `?`, and `-*-` any except `/` and `?`: only a pattern that contains `?` reaches a query. Matching
/// ignores case and a slash at the end, and `http` and `https` have their usual ports. There are no regular expressions: matching takes
/// at most the product of both lengths.
struct ResourcePattern: Sendable {
  private enum Wildcard: Sendable {
    case anything
    case oneLevel
  }

  /// Bytes before the first wildcard.
  private let beginning: [UInt8]

  /// The wildcards, each with the bytes that follow it.
  private let rest: [(wildcard: Wildcard, bytes: [UInt8])]

  /// - Throws: ``JSONFault``, which says what is wrong with the text.
  init(_ text: String) throws(JSONFault) {
    guard !text.isEmpty, text.utf8.count <= PolicyLimits.textBytes else {
      throw JSONFault("must have from 1 to \(PolicyLimits.textBytes) bytes")
    }
    let bytes = Self.canonical(text)
    var parts: [(wildcard: Wildcard?, bytes: [UInt8])] = [(nil, [])]
    var at = 0
    while at < bytes.count {
      if bytes[at...].starts(with: Array("-*-".utf8)) {
        parts.append((.oneLevel, []))
        at += 3
      } else if bytes[at] == UInt8(ascii: "*") {
        // Two asterisks in a row mean the same as one.
        if parts[parts.count - 1].wildcard != .anything || !parts[parts.count - 1].bytes.isEmpty {
          parts.append((.anything, []))
        }
        at += 1
      } else {
        parts[parts.count - 1].bytes.append(bytes[at])
        at += 1
      }
    }
    guard parts.count <= PolicyLimits.wildcards + 1 else {
      throw JSONFault("must have at most \(PolicyLimits.wildcards) wildcards")
    }
    beginning = parts[0].bytes
    rest = parts.dropFirst().compactMap { part in part.wildcard.map { ($0, part.bytes) } }
  }

  /// - Parameter resource: in the form of ``canonical(_:)``.
  func matches(_ resource: [UInt8], _ budget: inout PolicyBudget) throws(PolicyRequestError) -> Bool {
    try budget.spend(beginning.count + 1)
    if try fits(resource, &budget) { return true }
    // A pattern that ends with `/*` also matches the path before the slash, because a resource may be written without the slash.
    guard let last = rest.last, last.bytes.isEmpty,
      (rest.dropLast().last?.bytes ?? beginning).last == UInt8(ascii: "/")
    else { return false }
    return try fits(resource + [UInt8(ascii: "/")], &budget)
  }

  private func fits(_ resource: [UInt8], _ budget: inout PolicyBudget) throws(PolicyRequestError) -> Bool {
    guard resource.starts(with: beginning) else { return false }
    // The places where a match of the pattern so far can end.
    var ends = [Bool](repeating: false, count: resource.count + 1)
    ends[beginning.count] = true
    for (wildcard, bytes) in rest {
      try budget.spend((resource.count + 1) * (bytes.count + 1))
      Self.stretch(&ends, over: resource, wildcard)
      guard !bytes.isEmpty else { continue }
      var next = [Bool](repeating: false, count: resource.count + 1)
      for start in 0...resource.count where ends[start] && start + bytes.count <= resource.count {
        if resource[start..<(start + bytes.count)].elementsEqual(bytes) { next[start + bytes.count] = true }
      }
      ends = next
    }
    return ends[resource.count]
  }

  private static func stretch(_ ends: inout [Bool], over resource: [UInt8], _ wildcard: Wildcard) {
    var isOpen = false
    for place in ends.indices {
      if place > 0 {
        let byte = resource[place - 1]
        if byte == UInt8(ascii: "?") || (wildcard == .oneLevel && byte == UInt8(ascii: "/")) {
          isOpen = false
        }
      }
      isOpen = isOpen || ends[place]
      ends[place] = isOpen
    }
  }

  /// The form in which patterns and resources are compared: lower case, with a port, without a slash at the end.
  static func canonical(_ text: String) -> [UInt8] {
    var text = text.lowercased()
    for (scheme, port) in [("http://", "80"), ("https://", "443")] where text.utf8.starts(with: scheme.utf8) {
      // Bytes: a slash and a mark after it are one `Character`.
      let authority = text.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
      let tail = authority.drop { $0 != UInt8(ascii: "]") }
      let hasPort = (authority.first == UInt8(ascii: "[") ? tail : authority).contains(UInt8(ascii: ":"))
      // In a host with wildcards, the wildcard may also stand for the port.
      guard !authority.isEmpty, !authority.contains(UInt8(ascii: "*")), !hasPort else { break }
      text = "\(text[..<authority.endIndex]):\(port)\(text[authority.endIndex...])"
    }
    var bytes = Array(text.utf8)
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return bytes
  }
}
