internal import CQREncode

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A QR code (ISO/IEC 18004, model 2): a square of dark and light modules.
///
/// Anyone who sees the drawing can read the text, and an enrolment's text is a secret.
public struct QRCode: Sendable, Hashable, CustomStringConvertible {
  /// Modules along one side: 21 to 177.
  public let size: Int

  /// Rows from the top, each from the left; `true` is dark.
  private let modules: [Bool]

  /// The light border that readers need, in modules (ISO/IEC 18004 §6.3.8).
  public static let quietZone = 4

  /// Encodes the UTF-8 form of `text`, in the smallest version that holds it. About 7 % of the code may be unreadable (level L): screens
  /// are clean, and a larger code is harder to read.
  ///
  /// - Throws: ``QRCodeError/empty``; ``QRCodeError/tooLong(bytes:)`` above 2,953 bytes.
  public init(_ text: String) throws(QRCodeError) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw .empty }
    guard let count = Int32(exactly: bytes.count) else { throw .tooLong(bytes: bytes.count) }
    guard let code = QRcode_encodeData(count, bytes, 0, QR_ECLEVEL_L) else {
      throw errno == ENOMEM ? .outOfMemory : .tooLong(bytes: bytes.count)
    }
    defer { QRcode_free(code) }
    size = Int(code.pointee.width)
    // The lowest bit is the module's colour, the others say what part of the code it belongs to.
    modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
  }

  /// Whether the module in `column` from the left and `row` from the top is dark; all outside is light.
  public func isDark(_ column: Int, _ row: Int) -> Bool {
    guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
    return modules[row * size + column]
  }

  /// The size only: the modules are as secret as the text.
  public var description: String { "QRCode(\(size)×\(size))" }
}

/// Why text cannot be drawn as a QR code.
public enum QRCodeError: Error, Sendable, Hashable, CustomStringConvertible {
  case empty
  /// The text has this many bytes, more than the largest code holds.
  case tooLong(bytes: Int)
  case outOfMemory

  public var description: String {
    switch self {
    case .empty: "There is no text to draw as a QR code."
    case .tooLong(let bytes): "The text has \(bytes) bytes, more than a QR code holds."
    case .outOfMemory: "There is too little memory to draw a QR code."
    }
  }
}
