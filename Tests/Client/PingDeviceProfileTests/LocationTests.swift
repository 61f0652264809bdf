import Concurrency
import Foundation
import PingLogger
import StrictJSON
import Testing

@testable import PingDeviceProfile

@Suite("The location")
struct LocationTests {
  private func collect(
    wanted: Bool = true, _ person: Person, _ place: Place, logger: any PingLogger.Logger = LogManager.none
  ) async throws -> JSONValue {
    let callback = makeCallback(metadata: true, location: wanted, message: "For your safety")
    _ = await callback.collect { config in
      config.logger = logger
      config.deviceIdentifier = FixedIdentifier()
      config.collectors { [LocationCollector(provider: place, consent: person)] }
    }
    return try posted(callback)
  }

  @Test func `is looked up and sent when the person, who was told what the server says, agrees`() async throws
  {
    let (person, place) = (Person(agrees: true), Place())
    #expect(
      try await collect(person, place) == [
        "version": "1.0", "identifier": "device-1", "metadata": [:],
        "location": ["latitude": 48.1, "longitude": 11.5],
      ])
    #expect(person.told.withLock { $0 } == ["For your safety"] && place.asked.withLock { $0 } == 1)
  }

  @Test func `is not even looked up when the person does not agree`() async throws {
    let (person, place) = (Person(agrees: false), Place())
    #expect(
      try await collect(person, place) == ["version": "1.0", "identifier": "device-1", "metadata": [:]])
    #expect(person.told.withLock { $0.count } == 1 && place.asked.withLock { $0 } == 0)
  }

  @Test func `is asked for by nobody when the server does not want it`() async throws {
    let (person, place) = (Person(agrees: true), Place())
    #expect(
      try await collect(wanted: false, person, place) == [
        "version": "1.0", "identifier": "device-1", "metadata": [:],
      ])
    #expect(person.told.withLock { $0.isEmpty } && place.asked.withLock { $0 } == 0)
  }

  @Test func `is asked about every time`() async throws {
    let (person, place) = (Person(agrees: true), Place())
    for _ in 0..<2 { _ = try await collect(person, place) }
    #expect(person.told.withLock { $0.count } == 2)
  }

  @Test func `is left out, with a line in the log, when it cannot be found out`() async throws {
    let logger = MemoryLogger()
    let place = Place { throw LocationError.locationServicesDisabled }
    #expect(
      try await collect(Person(agrees: true), place, logger: logger) == [
        "version": "1.0", "identifier": "device-1", "metadata": [:],
      ])
    #expect(logger.warnings.count == 1)
  }

  #if !canImport(CoreLocation)
    @Test func `is never sent by an app that has set up nobody to ask`() async throws {
      let callback = makeCallback(metadata: false, location: true)
      let logger = MemoryLogger()
      _ = await callback.collect { config in
        config.logger = logger
        config.deviceIdentifier = FixedIdentifier()
      }
      #expect(try posted(callback) == ["version": "1.0", "identifier": "device-1"])
      #expect(logger.warnings.count == 1)
    }
  #endif

  @Test func `is on the earth`() {
    #expect(LocationInfo(latitude: 90, longitude: -180) != nil)
    #expect(LocationInfo(latitude: 90.1, longitude: 0) == nil)
    #expect(LocationInfo(latitude: 0, longitude: 180.1) == nil)
    #expect(LocationInfo(latitude: .nan, longitude: 0) == nil)
  }

  @Test func `has errors with texts`() {
    let errors: [LocationError] = [
      .locationServicesDisabled, .authorizationDenied, .authorizationRestricted, .missingPrivacyConsent,
      .locationFailed(Broken()),
    ]
    #expect(Set(errors.compactMap(\.errorDescription)).count == 5)
  }
}

/// What Core Location is asked through.
@MainActor @Suite("One request for several calls")
struct SharedRequestTests {
  private let steps = Locked<[String]>([])

  private func request(_ begin: @escaping @MainActor () -> Void = {}) -> SharedRequest<Int> {
    SharedRequest { [steps] in
      steps.withLock { $0.append("begin") }
      begin()
    } end: { [steps] in
      steps.withLock { $0.append("end") }
    }
  }

  /// A call that waits.
  private func call(_ request: SharedRequest<Int>) async -> Task<Int, any Error> {
    let count = steps.withLock { $0.count }
    let task = Task { try await request.answer() }
    while steps.withLock({ $0.count }) == count { await Task.yield() }
    return task
  }

  @Test func `one call that was cancelled ended all, and the request went on`() async throws {
    let request = request()
    let (first, second) = (await call(request), await call(request))
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(steps.withLock { $0 } == ["begin", "begin"])
    request.give(.success(7))
    #expect(try await second.value == 7)
    let third = await call(request)
    third.cancel()
    await #expect(throws: CancellationError.self) { try await third.value }
    #expect(steps.withLock { $0 } == ["begin", "begin", "begin", "end"])
    request.give(.success(8))
  }

  @Test func `an answer that came before the request returned was lost`() async throws {
    let late = Locked<SharedRequest<Int>?>(nil)
    let request = request { late.withLock { $0 }?.give(.failure(Broken())) }
    late.withLock { $0 = request }
    await #expect(throws: Broken.self) { try await request.answer() }
    #expect(steps.withLock { $0 } == ["begin"])
    late.withLock { $0 = nil }
  }

  @Test func `nobody is asked for a task that was cancelled before`() async throws {
    let request = request()
    let task = Task { try await request.answer() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(steps.withLock { $0 }.isEmpty)
  }
}
