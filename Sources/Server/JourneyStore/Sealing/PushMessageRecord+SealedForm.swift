internal import Foundation

extension PushMessageRecord {
  /// The part of a message that is stored encrypted only.
  struct SealedForm: Codable {
    let challenge: Data
    let answer: Data?
    let knownDevice: String?
    let enrolment: Enrolment?

    struct Enrolment: Codable {
      let uuid: String
      let issuer: String
      let secret: Data
      let limit: Int
      let first: Bool?
      let oath: OathDeviceRecord.SealedForm?
    }
  }

  var sealedForm: SealedForm {
    SealedForm(
      challenge: Data(challenge.reveal()), answer: answer.map { Data($0.reveal()) },
      knownDevice: knownDevice,
      enrolment: enrolment.map {
        SealedForm.Enrolment(
          uuid: $0.uuid, issuer: $0.issuer, secret: Data($0.sharedSecret.reveal()), limit: $0.deviceLimit,
          first: $0.onlyAsFirstFactor ? true : nil, oath: $0.oath?.sealedForm)
      })
  }

  mutating func take(_ form: SealedForm) {
    challenge = StoredSecret(form.challenge)
    answer = form.answer.map { StoredSecret($0) }
    knownDevice = form.knownDevice
    enrolment = form.enrolment.map { stored in
      var enrolment = Enrolment(
        uuid: stored.uuid, issuer: stored.issuer, sharedSecret: StoredSecret(stored.secret),
        deviceLimit: stored.limit,
        oath: stored.oath.map { OathDeviceRecord($0, realm: realm, username: username) })
      enrolment.onlyAsFirstFactor = stored.first ?? false
      return enrolment
    }
  }
}
