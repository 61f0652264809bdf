internal import Crypto
internal import Foundation
internal import PrivateFiles
internal import SwiftASN1
internal import X509

/// An authority's folder: `root-key.pem` (PKCS #8, for the owner alone) and `root.pem`.
struct AuthorityFiles {
  let directory: URL

  private static let keyName = "root-key.pem"
  private static let certificateName = "root.pem"

  /// Longest file that is read.
  private static let maximumBytes = 64 << 10

  /// Writes both into a folder beside, which then takes the name: there is all of an authority or none, and none is replaced.
  func write(_ key: P256.Signing.PrivateKey, _ root: Certificate) throws(AttestationAuthorityError) {
    let draft = directory.deletingLastPathComponent()
      .appendingPathComponent(".\(directory.lastPathComponent).\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: draft, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      defer { try? FileManager.default.removeItem(at: draft) }
      try write(key.pemRepresentation + "\n", to: draft.appendingPathComponent(Self.keyName), mode: 0o600)
      try write(
        root.serializeAsPEM().pemString + "\n", to: draft.appendingPathComponent(Self.certificateName),
        mode: 0o644)
      try sync(draft)
      guard rename(draft.path, directory.path) == 0 else {
        guard errno != EEXIST, errno != ENOTEMPTY, errno != ENOTDIR else {
          throw AttestationAuthorityError(
            "\(directory.path) is there already and not empty. Choose a new folder.")
        }
        throw failure("created", directory)
      }
      try sync(directory.deletingLastPathComponent())
    } catch let error as AttestationAuthorityError {
      throw error
    } catch {
      throw AttestationAuthorityError(
        "The authority's folder \(directory.path) cannot be written: \(FileReason.of(error))")
    }
  }

  func read() throws(AttestationAuthorityError) -> (P256.Signing.PrivateKey, Certificate) {
    let key: P256.Signing.PrivateKey
    // The cause is left out: it could quote the key.
    do { key = try P256.Signing.PrivateKey(pemRepresentation: try text(Self.keyName)) } catch let error
      as AttestationAuthorityError
    { throw error } catch {
      throw AttestationAuthorityError(
        "\(path(Self.keyName)) is no private key of P-256 in PEM. Restore it from a copy.")
    }
    let root: Certificate
    do { root = try Certificate(pemEncoded: try text(Self.certificateName)) } catch let error
      as AttestationAuthorityError
    { throw error } catch {
      throw AttestationAuthorityError(
        "\(path(Self.certificateName)) is no certificate in PEM: \(error). Restore it from a copy.")
    }
    guard root.publicKey == Certificate.PublicKey(key.publicKey) else {
      throw AttestationAuthorityError(
        "\(path(Self.certificateName)) is another key's certificate than \(Self.keyName)'s. Restore both from a copy."
      )
    }
    return (key, root)
  }

  private func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  private func text(_ name: String) throws(AttestationAuthorityError) -> String {
    do {
      let file = try FileHandle(forReadingFrom: directory.appendingPathComponent(name))
      defer { try? file.close() }
      return String(decoding: try file.read(upToCount: Self.maximumBytes) ?? Data(), as: UTF8.self)
    } catch {
      throw AttestationAuthorityError(
        "\(path(name)) cannot be read: \(FileReason.of(error)) Name a folder that `sealring attestation authority create` made."
      )
    }
  }

  private func write(_ text: String, to url: URL, mode: mode_t) throws {
    let bytes = Array(text.utf8)
    let descriptor = open(url.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure("created", url) }
    defer { close(descriptor) }
    let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count, fsync(descriptor) == 0 else { throw failure("written", url) }
  }

  private func sync(_ folder: URL) throws {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, fsync(descriptor) == 0 else { throw failure("written", folder) }
  }

  private func failure(_ what: String, _ url: URL) -> AttestationAuthorityError {
    AttestationAuthorityError("\(url.path) cannot be \(what): \(String(cString: strerror(errno))).")
  }
}
