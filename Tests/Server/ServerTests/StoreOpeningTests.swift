import Foundation
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

@Suite("Addresses of databases") struct StoreOpeningTests {
  /// - Parameter folder: its path, `nil` for a database in memory.
  @Test(
    arguments: [
      ("sqlite::memory:", nil), ("sqlite:/var/lib/sealring", "/var/lib/sealring"),
      ("sqlite:///var/lib/sealring", "/var/lib/sealring"), ("SQLite:/x/sealring.sqlite", "/x"),
    ])
  func `databases that this build serves`(url: String, folder: String?) throws {
    var configuration = ServerConfiguration()
    configuration.database = url
    // By paths: a URL ends in a slash when the folder exists on this machine at that moment.
    switch try StoreOpening.place(configuration) {
    case .memory: #expect(folder == nil)
    case .directory(let directory): #expect(directory.path == folder)
    case .postgres(let address, _): Issue.record("\(address) is not PostgreSQL's")
    }
  }

  @Test(arguments: ["postgres://db/sealring", "postgresql://a,b/sealring?target_session_attrs=read-write"])
  func `PostgreSQL is named by a URL of libpq, with a folder for the server's key`(url: String) throws {
    var configuration = ServerConfiguration()
    configuration.database = url
    let refusal = #expect(throws: ServerSetupError.self) { try StoreOpening.place(configuration) }
    #expect(refusal?.description.contains("data folder for server.key") == true)
    let folder = URL(filePath: "/var/lib/sealring", directoryHint: .isDirectory)
    configuration.dataDirectory = folder
    #expect(try StoreOpening.place(configuration) == .postgres(url, folder))
  }

  @Test(arguments: ["postgres:x", "postgresfoo://x", "mysql://x", "sqlite:", "sqlite", ""])
  func `other databases are refused with what to do`(url: String) {
    var configuration = ServerConfiguration()
    configuration.database = url
    let refusal = #expect(throws: ServerSetupError.self) { try StoreOpening.place(configuration) }
    let advice = url == "sqlite:" ? "needs the path of a directory" : "must be sqlite:DIRECTORY"
    #expect(refusal?.description.contains(advice) == true)
  }
}
