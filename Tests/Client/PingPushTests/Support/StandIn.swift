import CommonFixtures
import Foundation
import PingNetwork
import StrictJSON

#if canImport(Glibc)
  import Glibc
#endif

/// PingAM's push endpoint as `Tests/Interoperability/push_am_standin.py` plays it, in a process of its own.
final class StandIn: Sendable {
  let address: String
  private let process: SpawnedProgram
  private let input: Int32
  private let http = HttpClient.createClient { $0.timeout = 20 }

  struct Failure: Error { var text: String }

  /// Runs `body` with a server, which ends with it.
  static func with(direct: Bool = false, _ body: (StandIn) async throws -> Void) async throws {
    let server = try await StandIn(direct: direct)
    let result: Result<Void, any Error>
    do { result = .success(try await body(server)) } catch { result = .failure(error) }
    await server.stop()
    try result.get()
  }

  private init(direct: Bool) async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Interoperability/push_am_standin.py").path(percentEncoded: false)
    let (input, output) = (try SpawnedProgram.pipe(), try SpawnedProgram.pipe())
    process = try SpawnedProgram(
      "/usr/bin/python3", [script] + (direct ? ["--direct"] : []),
      environment: ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"],
      input: .descriptor(input.reading), output: .descriptor(output.writing), errors: .inherited)
    close(input.reading)
    close(output.writing)
    self.input = input.writing
    let line = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let handle = FileHandle(fileDescriptor: output.reading, closeOnDealloc: true)
        var text = ""
        while !text.contains("\n"), case let data = handle.availableData, !data.isEmpty {
          text += String(decoding: data, as: UTF8.self)
        }
        continuation.resume(returning: text.trimmingCharacters(in: .newlines))
      }
    }
    guard line.hasPrefix("listening on ") else {
      throw Failure(text: "the stand-in said \(line.debugDescription)")
    }
    address = String(line.dropFirst("listening on ".count))
  }

  private func stop() async {
    http.close()
    close(input)
    await process.end()
  }

  // MARK: What tests steer it with

  /// A new enrolment address.
  func enrol(
    _ user: String = "bjensen", issuer: String = "Example Bank", named: Bool = true, policies: String? = nil
  ) async throws -> String {
    var body: JSONObject = ["user": .string(user), "issuer": .string(issuer), "named": .bool(named)]
    body["policies"] = policies.map { .string($0) }
    return try await control("enrol", body)["uri"]?.stringValue ?? ""
  }

  struct Pushed: Sendable {
    let messageID: String
    let message: String
    /// The number or code that is right.
    let answer: String?

    var data: [String: Any] { ["messageId": messageID, "message": message] }
    var userInfo: [AnyHashable: Any] {
      ["aps": ["alert": "text", "messageId": messageID, "data": message, "content-available": 1]]
    }
  }

  func push(
    to credential: String, type: String = "default", ttl: Int = 120, code: String? = nil, strict: Bool = true,
    claims: JSONObject = [:]
  ) async throws -> Pushed {
    var body: JSONObject = [
      "mechanismUid": .string(credential), "type": .string(type), "ttl": .integer(Int64(ttl)),
      "strict": .bool(strict), "claims": .object(claims),
    ]
    body["code"] = code.map { .string($0) }
    let json = try await control("push", body)
    return Pushed(
      messageID: json["messageId"]?.stringValue ?? "", message: json["message"]?.stringValue ?? "",
      answer: json["answer"]?.stringValue)
  }

  /// The next requests get these statuses, whatever they are.
  func fail(_ statuses: Int64...) async throws {
    _ = try await control("fail", ["statuses": .array(statuses.map { .integer($0) })])
  }

  func endStreams() async throws { _ = try await control("stream", [:]) }

  func streams() async throws -> (open: Int, opened: Int) {
    let json = try await get("/control/streams")
    return (Int(json["open"]?.integerValue ?? 0), Int(json["opened"]?.integerValue ?? 0))
  }

  func state(_ pushed: Pushed) async throws -> JSONValue {
    try await get("/control/message/\(pushed.messageID)")
  }
  func device(_ credential: String) async throws -> JSONValue {
    try await get("/control/device/\(credential)")
  }

  /// The requests of devices so far.
  func requests(_ action: String? = nil) async throws -> [JSONValue] {
    (try await get("/control/requests").arrayValue ?? []).filter {
      action == nil || $0["action"]?.stringValue == action
    }
  }

  private func control(_ name: String, _ body: JSONObject) async throws -> JSONValue {
    let text = String(decoding: body.serialized, as: UTF8.self)
    let url = "\(address)/control/\(name)"
    return try await json { request in
      request.url = url
      request.post(contentType: "application/json", body: text)
    }
  }

  private func get(_ path: String) async throws -> JSONValue {
    let url = address + path
    return try await json { $0.url = url }
  }

  private func json(_ builder: @escaping @Sendable (any HttpRequest) -> Void) async throws -> JSONValue {
    let response = try await http.request(builder: builder).get()
    guard response.status == 200 else { throw Failure(text: "control: \(response.status)") }
    return try JSONValue(parsing: response.body ?? Data())
  }
}
