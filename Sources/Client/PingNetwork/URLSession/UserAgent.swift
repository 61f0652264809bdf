internal import Foundation
internal import ProductVersion

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

#if canImport(FoundationNetworking)
  enum ProgramName {
    /// Names the program and this library to servers.
    static var userAgent: String {
      // Letters, digits and what RFC 9110 §5.6.2 allows in a product's name.
      let name = ProcessInfo.processInfo.processName.filter {
        $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0))
      }
      return name.isEmpty || name == "sealring"
        ? "Sealring/\(ProductVersion.text)" : "\(name) Sealring/\(ProductVersion.text)"
    }
  }
#endif

extension URLSessionConfiguration {
  /// Names the program and this library to servers, unless the configuration has a `User-Agent` of its own.
  ///
  /// FoundationNetworking would call every program "(unknown version) curl/…". Apple's systems name the app and its
  /// version, and are left alone.
  func nameProgram() {
    #if canImport(FoundationNetworking)
      var headers = httpAdditionalHeaders ?? [:]
      guard headers["User-Agent"] == nil else { return }
      headers["User-Agent"] = ProgramName.userAgent
      httpAdditionalHeaders = headers
    #endif
  }
}
