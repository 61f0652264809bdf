internal import Bytes
internal import Cryptoki
internal import Foundation
package import JourneyStore
internal import PrivateFiles

/// `pkcs11:…`: a key that a token derives, such as a hardware security module.
///
/// The token has a secret key that never leaves it. The server key is its HMAC-SHA256 over a fixed text, so whoever has the database
/// needs the token, and a server asks it only when it starts. With a PIN, only a key that needs it counts.
package struct PKCS11KeySource: ServerKeySource {
  private let address: PKCS11Address
  private let environment: [String: String]

  /// The text whose HMAC is the server key.
  private static let label = Array("sealring server key 1".utf8)

  package init(_ uri: String, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    address = try PKCS11Address(uri)
    self.environment = environment
  }

  package var place: String { address.title }

  package func keys() throws -> [LoadedServerKey] {
    try withSession(writes: false) { module, session in
      try find(module, session).map { [try derive(module, session, key: $0)] } ?? []
    }
  }

  package func create(_ randomBytes: (Int) -> [UInt8]) throws -> LoadedServerKey {
    try withSession(writes: true) { module, session in
      guard try find(module, session) == nil else { throw failure("it is there already") }
      let yes: [UInt8] = [1]
      let no: [UInt8] = [0]
      var template: [(type: UInt, value: [UInt8])] = [
        (CryptokiConstant.class, CryptokiModule.word(CryptokiConstant.secretKeyClass)),
        (CryptokiConstant.keyType, CryptokiModule.word(CryptokiConstant.genericSecret)),
        (CryptokiConstant.token, yes), (CryptokiConstant.private, yes), (CryptokiConstant.sensitive, yes),
        (CryptokiConstant.extractable, no), (CryptokiConstant.sign, yes),
        (CryptokiConstant.valueLength, CryptokiModule.word(UInt(ServerKey.length))),
      ]
      if let object = address.object { template.append((CryptokiConstant.label, Array(object.utf8))) }
      if let id = address.id { template.append((CryptokiConstant.id, id)) }
      var mechanism = CryptokiModule.Attribute(
        type: CryptokiConstant.secretKeyGeneration, value: nil, length: 0)
      var key: UInt = 0
      try check(
        CryptokiModule.withAttributes(template) { template, count in
          module.generateKey(session, &mechanism, template, count, &key)
        })
      return try derive(module, session, key: key)
    }
  }

  // MARK: The token

  private func withSession<Result>(
    writes: Bool, _ body: (CryptokiModule, UInt) throws -> Result
  ) throws -> Result {
    let pin = try pin()
    let module = try module()
    let token = try self.token(module)
    var session: UInt = 0
    // CKF_SERIAL_SESSION, and CKF_RW_SESSION to write
    try check(module.openSession(token.slot, writes ? 6 : 4, nil, nil, &session))
    // The token forgets the PIN with the last session.
    defer { _ = module.closeSession(session) }
    if let pin { try logIn(pin.bytes, from: pin.place, module, session, token) }
    return try body(module, session)
  }

  private func module() throws -> CryptokiModule {
    do throws(CryptokiError) { return try CryptokiModule(path: address.modulePath) } catch {
      throw StoreError.unavailable("the PKCS#11 module \(error.path) cannot be used: \(error.reason)")
    }
  }

  private func logIn(
    _ pin: [UInt8], from place: String, _ module: CryptokiModule, _ session: UInt, _ token: CryptokiToken
  ) throws {
    guard !token.isPINLocked else {
      throw failure("its PIN is locked; unlock it with the tools of its maker")
    }
    guard !token.isFinalTry else {
      throw failure(
        "one more wrong PIN locks it, so it is not tried; enter the right one once with the tools of its maker"
      )
    }
    // CKU_USER
    let code = module.login(session, 1, pin, UInt(pin.count))
    guard code != CryptokiModule.Return.userAlreadyLoggedIn else { return }
    guard code != CryptokiModule.Return.pinIncorrect else {
      throw failure(
        "the PIN in \(place) is wrong; a token locks itself after a few wrong ones, so correct it before the next start"
      )
    }
    try check(code)
  }

  private func token(_ module: CryptokiModule) throws -> CryptokiToken {
    let tokens: [CryptokiToken]
    do throws(CryptokiFailure) { tokens = try CryptokiToken.all(of: module) } catch {
      throw failure(error.reason)
    }
    let fitting = tokens.filter { token in
      address.token.map { $0 == token.label } ?? true && address.serial.map { $0 == token.serial } ?? true
        && address.manufacturer.map { $0 == token.manufacturer } ?? true
        && address.model.map { $0 == token.model } ?? true
    }
    guard let token = fitting.first else {
      let there = tokens.map(\.label).joined(separator: ", ")
      throw failure("there is no such token; \(there.isEmpty ? "none is there" : "there are: \(there)")")
    }
    guard fitting.count == 1 else { throw failure("several tokens fit; name its serial number") }
    return token
  }

  private func find(_ module: CryptokiModule, _ session: UInt) throws -> UInt? {
    var template: [(type: UInt, value: [UInt8])] = [
      (CryptokiConstant.class, CryptokiModule.word(CryptokiConstant.secretKeyClass))
    ]
    if let object = address.object { template.append((CryptokiConstant.label, Array(object.utf8))) }
    if let id = address.id { template.append((CryptokiConstant.id, id)) }
    // Without the PIN anybody who reaches the token can make objects that need none, of this name and with a value that they know.
    if address.pin != nil { template.append((CryptokiConstant.private, [1])) }
    try check(
      CryptokiModule.withAttributes(template) { module.findObjectsInit(session, $0, $1) })
    defer { _ = module.findObjectsFinal(session) }
    var found = [UInt](repeating: 0, count: 2)
    var count: UInt = 0
    try check(module.findObjects(session, &found, 2, &count))
    guard count < 2 else { throw failure("several keys fit; name its id") }
    return count == 1 ? found[0] : nil
  }

  private func derive(_ module: CryptokiModule, _ session: UInt, key: UInt) throws -> LoadedServerKey {
    var mechanism = CryptokiModule.Attribute(type: CryptokiConstant.hmac, value: nil, length: 0)
    try check(module.signInit(session, &mechanism, key))
    var bytes = [UInt8](repeating: 0, count: 64)
    var count = UInt(bytes.count)
    try check(module.sign(session, Self.label, UInt(Self.label.count), &bytes, &count))
    guard count == ServerKey.length else { throw failure("its answer has \(count) bytes") }
    return LoadedServerKey(bytes: Array(bytes.prefix(ServerKey.length)), place: place)
  }

  // MARK: The PIN

  private func pin() throws -> (bytes: [UInt8], place: String)? {
    let (path, pinPlace): (String, String)
    switch address.pin {
    case nil: return nil
    case .file(let file): (path, pinPlace) = (file, file)
    case .credential(let name):
      (path, pinPlace) = (try ServerKeySpecification.credential(name, environment), "the credential \(name)")
    }
    let bytes: [UInt8]?
    do throws(FileStorageError) {
      bytes = try ProtectedFiles.read(URL(fileURLWithPath: path), limit: 4096)
    } catch {
      throw failure("its PIN cannot be read: \(error.errorMessage)")
    }
    guard let bytes else { throw failure("its PIN should be in \(pinPlace), which does not exist") }
    if case .file = address.pin {
      let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
      guard (mode ?? 0o777).intValue & 0o077 == 0 else {
        throw failure("its PIN in \(path) can be read or changed by other users; run: chmod 600 \(path)")
      }
    }
    let line = Array(bytes.prefix { $0 != 10 && $0 != 13 })
    guard !line.isEmpty else { throw failure("\(pinPlace), where its PIN is to be, has an empty first line") }
    return (line, pinPlace)
  }

  private func check(_ code: CryptokiModule.Code) throws {
    guard code == CryptokiModule.Return.ok else { throw failure(CryptokiModule.Return.text(code)) }
  }

  private func failure(_ reason: String) -> StoreError {
    .unavailable("\(place), which is to give the server key, cannot be used: \(reason)")
  }
}
