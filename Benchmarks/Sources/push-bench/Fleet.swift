import BenchmarkServer
import Foundation
import NIOCore
import PushFormats
import StrictJSON

/// The simulated devices, one for each user, registered over HTTP as any device.
struct Fleet: Sendable {
  struct Device: Sendable {
    let username: String
    let mechanismUID: String
    let secret: PushSecret
  }

  static let authenticate = "/am/json/realms/root/realms/alpha/authenticate"
  static let messages = "/am/json/realms/root/realms/alpha/push/sns/message"

  let devices: [Device]

  static func username(_ index: Int) -> String { "user\(index)" }

  static func register(count: Int, port: Int, on group: any EventLoopGroup) async throws -> Fleet {
    let connection = try await Connection.open(port: port, on: group)
    var devices: [Device] = []
    for index in 0..<count {
      devices.append(try await register(username(index), over: connection))
    }
    await connection.close()
    return Fleet(devices: devices)
  }

  private static func register(_ username: String, over connection: Connection) async throws -> Device {
    let page = try await Page.start(Journeys.register, over: connection).answer(username, over: connection)
    guard let uri = page.hidden("mfaDeviceRegistration") else { throw BenchError("no enrolment was offered") }
    let enrolment = try PushEnrolmentURI(parsing: uri)
    guard let challenge = enrolment.challenge, let messageID = enrolment.messageID else {
      throw BenchError("the enrolment lacks challenge or message")
    }
    let device = Device(username: username, mechanismUID: UUID().uuidString, secret: enrolment.secret)
    let registration = PushRegistration(
      response: enrolment.secret.response(to: challenge), mechanismUID: device.mechanismUID,
      address: PushDeviceAddress(
        deviceID: device.mechanismUID, deviceName: "bench", deviceType: "linux", communicationType: "poll"))
    let body = PushAnswerBody(
      messageID: messageID, jwt: try await registration.token(secret: enrolment.secret))
    _ = try await connection.post("\(messages)?_action=register", body.serialized)
    return device
  }
}

/// A page of a journey, with one question for a name at most.
struct Page: Sendable {
  let answer: JSONValue

  static func start(_ journey: String, over connection: Connection) async throws -> Page {
    Page(
      answer: try await connection.post(
        "\(Fleet.authenticate)?authIndexType=service&authIndexValue=\(journey)", Array("{}".utf8)))
  }

  func answer(_ name: String, over connection: Connection) async throws -> Page {
    guard var root = answer.objectValue, var callback = root["callbacks"]?[0]?.objectValue,
      callback["type"] == "NameCallback"
    else { throw BenchError("this page asks for no name: \(answer.text)") }
    callback["input"] = [["name": "IDToken1", "value": .string(name)]]
    root["callbacks"] = [.object(callback)]
    return Page(answer: try await connection.post(Fleet.authenticate, JSONValue.object(root).serialized))
  }

  /// The hidden value of that id.
  func hidden(_ id: String) -> String? {
    for callback in answer["callbacks"]?.arrayValue ?? [] {
      let outputs = callback["output"]?.arrayValue ?? []
      if outputs.contains(where: { $0["name"] == "id" && $0["value"]?.stringValue == id }) {
        return outputs.first { $0["name"] == "value" }?["value"]?.stringValue
      }
    }
    return nil
  }

  var isSignedIn: Bool { answer["tokenId"]?.stringValue?.isEmpty == false }
}
