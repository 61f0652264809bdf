internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Reads Set-Cookie headers as RFC 6265 §5.2 and §5.3 say.
///
/// `HTTPCookie` has no field for the host-only flag. Its `domain` says it: with a leading dot the cookie is for the domain
/// and every host below, without one for that host alone.
enum SetCookie {
  /// Cookies of a header in which several fields may have been joined by commas, as URLSession does.
  static func cookies(inHeader header: String, for url: URL, now: Date) -> [HTTPCookie] {
    fields(joinedIn: header).compactMap { cookie($0, for: url, now: now) }
  }

  /// Splits at those commas that a cookie's `name=` follows; the comma of an Expires date is followed by a day number.
  private static func fields(joinedIn header: String) -> [Substring] {
    var fields: [Substring] = []
    var start = header.startIndex
    for comma in header.indices where header[comma] == "," {
      let after = header[header.index(after: comma)...].drop { $0 == " " || $0 == "\t" }
      let name = after.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
      guard !name.isEmpty, after.dropFirst(name.count).first == "=" else { continue }
      fields.append(header[start..<comma])
      start = header.index(after: comma)
    }
    fields.append(header[start...])
    return fields
  }

  private static func cookie(_ field: Substring, for url: URL, now: Date) -> HTTPCookie? {
    guard let host = url.host?.lowercased(), !host.isEmpty else { return nil }
    var parts = field.split(separator: ";", omittingEmptySubsequences: false)
    guard let pair = nameAndValue(parts.removeFirst()), !pair.name.isEmpty, let value = pair.value else {
      return nil
    }

    var domain = host  // Host-only, unless there is a Domain attribute.
    var path = CookieMatching.defaultPath(of: url.path)
    var expires: Date?
    var lifetime: TimeInterval?
    var properties: [HTTPCookiePropertyKey: Any] = [.name: pair.name, .value: value]
    for part in parts {
      guard let attribute = nameAndValue(part) else { continue }
      let text = attribute.value ?? ""
      switch attribute.name.lowercased() {
      case "domain" where !text.isEmpty:
        let named = (text.hasPrefix(".") ? String(text.dropFirst()) : text).lowercased()
        // A host may not set cookies for somebody else (§5.3 step 6), nor for a whole top-level domain.
        guard CookieMatching.host(host, isIn: named) else { return nil }
        guard named == host || named.contains(".") else { return nil }
        domain = CookieMatching.isAddress(host) ? host : "." + named
      case "path" where text.hasPrefix("/"): path = text
      case "expires": expires = CookieDate.parse(text) ?? expires
      case "max-age": lifetime = Int(text).map { TimeInterval($0) } ?? lifetime
      case "secure": properties[.secure] = "TRUE"
      case "httponly": properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE"
      case "samesite": properties[HTTPCookiePropertyKey("SameSite")] = text
      default: break
      }
    }
    properties[.domain] = domain
    properties[.path] = path
    // Max-Age counts before Expires (§5.3 step 3); a cookie with neither ends with the session.
    if let lifetime { expires = lifetime > 0 ? now.addingTimeInterval(lifetime) : .distantPast }
    if let expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
    return HTTPCookie(properties: properties)
  }

  private static func nameAndValue(_ part: Substring) -> (name: String, value: String?)? {
    let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = halves.first?.trimmingCharacters(in: .whitespaces) else { return nil }
    let value = halves.count > 1 ? halves[1].trimmingCharacters(in: .whitespaces) : nil
    return (name, value)
  }
}
