internal import Foundation
internal import OATH

extension OathDeviceRecord {
  /// The device as part of an enrolment that waits for its answer; holds the secret, so it is stored encrypted only.
  package struct SealedForm: Codable, Sendable {
    let uuid: String
    let name: String
    let secret: Data
    let hash: OATHProfile.Hash
    let digits: OATHProfile.Digits
    let checksum: Bool
    let created: Double
    let period: Int?
    let offset: Int?
  }

  package var sealedForm: SealedForm {
    SealedForm(
      uuid: uuid, name: deviceName, secret: Data(secret.reveal()), hash: profile.hash,
      digits: profile.digits, checksum: profile.addsChecksum, created: createdDate.timeIntervalSince1970,
      period: profile.period, offset: profile.truncationOffset)
  }

  package init(_ form: SealedForm, realm: String, username: String) {
    let date = Date(timeIntervalSince1970: form.created)
    self.init(
      uuid: form.uuid, realm: realm, username: username, deviceName: form.name,
      secret: StoredSecret(form.secret),
      profile: OATHProfile(
        factor: form.period.map { .time(period: $0) } ?? .counter, hash: form.hash, digits: form.digits,
        truncationOffset: form.offset, addsChecksum: form.checksum), createdDate: date, lastAccessDate: date)
  }
}
