import BenchmarkServer
import Foundation
import JourneyDriving
import NIOCore
import PushFormats
import StrictJSON

/// The simulated devices, one for each user, registered over HTTP as any device.
struct Fleet: Sendable {
  struct Device: Sendable {
    let username: String
    let device: SimulatedPushDevice
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
    let page = try await connection.answer(try await connection.start(Journeys.register), username)
    guard let uri = page.hidden("mfaDeviceRegistration")?.value else {
      throw BenchError("no enrolment was offered")
    }
    let (device, registration) = try await SimulatedPushDevice.enrol(
      PushEnrolmentURI(parsing: uri), name: "bench")
    _ = try await connection.post("\(messages)?_action=register", registration)
    return Device(username: username, device: device)
  }
}

extension Connection {
  /// The first page of a journey.
  func start(_ journey: String) async throws -> JourneyPage {
    try JourneyPage(
      await post("\(Fleet.authenticate)?authIndexType=service&authIndexValue=\(journey)", Array("{}".utf8)))
  }

  /// Answers a page that asks for a name.
  func answer(_ page: JourneyPage, _ name: String) async throws -> JourneyPage {
    guard page.has("NameCallback") else { throw BenchError("this page asks for no name") }
    var page = page
    try page.set(.string(name), of: 0)
    return try JourneyPage(await post(Fleet.authenticate, page.body))
  }
}
