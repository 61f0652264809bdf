internal import Bytes
internal import DeviceKeys
internal import Foundation
internal import PrivateFiles

/// The file that pins the Name of the storage key from a folder's first key on. PINs are encrypted to that key on their way into the chip.
/// A chip that is put between later, or an address that leads to another chip, has another storage key and gets no PIN.
struct StorageKeyPin: Sendable {
  static let fileName = "storage-key.name"
  private static let maximumBytes = 256

  private let file: URL

  init(folder: URL) { file = folder.appendingPathComponent(Self.fileName) }

  /// Pins `name` if no name is pinned yet.
  ///
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when another name is pinned.
  func require(_ name: [UInt8]) throws {
    let text = Self.text(name)
    try compare(
      text, reportingFiles { try ProtectedFiles.readOrCreate(file, limit: Self.maximumBytes) { text } })
  }

  /// As ``require(_:)``, but pins nothing.
  func check(_ name: [UInt8]) throws {
    try compare(Self.text(name), reportingFiles { try ProtectedFiles.read(file, limit: Self.maximumBytes) })
  }

  private static func text(_ name: [UInt8]) -> [UInt8] { Array(Base64URL.encode(name).utf8) }

  private func compare(_ text: [UInt8], _ pinned: [UInt8]?) throws {
    guard pinned == nil || pinned == text else {
      throw DeviceKeyError.unsupported(
        "This is not the TPM that the keys in \(file.deletingLastPathComponent().path) were made in, or it was cleared since, or"
          + " something intercepts the connection. Nothing was sent to it. If you know that the chip was exchanged or cleared, remove"
          + " \(file.path) and bind the device again.")
    }
  }
}
