internal import Bytes
internal import StrictJSON

extension PushMessageRecord {
  /// The part of a message that is stored encrypted only.
  var sealedForm: JSONObject {
    var object: JSONObject = ["challenge": Self.text(challenge)]
    object["answer"] = answer.map(Self.text)
    object["knownDevice"] = knownDevice.map(JSONValue.string)
    object["enrolment"] = enrolment.map { .object($0.sealedForm) }
    return object
  }

  /// Reverses ``sealedForm``; `false` when it was not written so.
  mutating func take(sealedForm value: JSONValue) -> Bool {
    guard let challenge = Self.secret(value["challenge"]) else { return false }
    self.challenge = challenge
    answer = Self.secret(value["answer"])
    knownDevice = value["knownDevice"]?.stringValue
    guard let stored = value["enrolment"] else { return true }
    enrolment = Enrolment(sealedForm: stored, realm: realm, username: username)
    return enrolment != nil
  }

  fileprivate static func text(_ secret: StoredSecret) -> JSONValue {
    .string(PaddedBase64.encode(secret.reveal()))
  }

  fileprivate static func secret(_ value: JSONValue?) -> StoredSecret? {
    value?.stringValue.flatMap { PaddedBase64.decode($0) }.map { StoredSecret($0) }
  }
}

extension PushMessageRecord.Enrolment {
  fileprivate var sealedForm: JSONObject {
    var object: JSONObject = [
      "uuid": .string(uuid), "issuer": .string(issuer), "secret": PushMessageRecord.text(sharedSecret),
      "limit": .integer(Int64(deviceLimit)),
    ]
    if onlyAsFirstFactor { object["first"] = true }
    object["oath"] = oath.map { .object($0.sealedForm) }
    return object
  }

  fileprivate init?(sealedForm value: JSONValue, realm: String, username: String) {
    guard let uuid = value["uuid"]?.stringValue, let issuer = value["issuer"]?.stringValue,
      let secret = PushMessageRecord.secret(value["secret"]), let limit = value["limit"]?.integerValue
    else { return nil }
    self.init(uuid: uuid, issuer: issuer, sharedSecret: secret, deviceLimit: Int(limit))
    onlyAsFirstFactor = value["first"]?.boolValue ?? false
    guard let stored = value["oath"] else { return }
    guard let oath = OathDeviceRecord(sealedForm: stored, realm: realm, username: username) else {
      return nil
    }
    self.oath = oath
  }
}
