import CommonFixtures
import Foundation
import JourneyTesting
import Testing

/// Nodes of exported journeys, played as their authors would test them.
@Suite struct PlatformNodesTests {
  private static let identities = """
    {"consentMappings": [{"name": "crm", "displayName": "Newsletter", "accessLevel": "Actual Profile", "fields": ["mail"]}]}
    """

  private static let journey = """
    {"meta": {}, "nodes": {
      "state": {"_id": "state", "_type": {"_id": "SetStateNode"}, "attributes": {"custom": "dummy value"}},
      "start": {"_id": "start", "_type": {"_id": "TimerStartNode"}, "startTimeProperty": "began"},
      "page": {"_id": "page", "_type": {"_id": "PageNode"}, "nodes": [
        {"_id": "name", "nodeType": "ValidatedUsernameNode"}, {"_id": "data", "nodeType": "MetadataNode"},
        {"_id": "consent", "nodeType": "ConsentNode"}, {"_id": "password", "nodeType": "CreatePasswordNode"}]},
      "attributes": {"_id": "attributes", "_type": {"_id": "AttributeCollectorNode"}, "required": true,
        "attributesToCollect": ["givenName", "sn", "mail"]},
      "create": {"_id": "create", "_type": {"_id": "ProvisionIdmAccountNode"}},
      "alone": {"_id": "alone", "_type": {"_id": "MetadataNode"}, "attributes": ["username"]},
      "mail": {"_id": "mail", "_type": {"_id": "EmailTemplateNode"}, "emailTemplateName": "welcome"},
      "stop": {"_id": "stop", "_type": {"_id": "TimerStopNode"}, "startTimeProperty": "began", "metricKey": "t"}},
     "innerNodes": {
      "name": {"_id": "name", "_type": {"_id": "ValidatedUsernameNode"}, "validateInput": true},
      "data": {"_id": "data", "_type": {"_id": "MetadataNode"}, "attributes": ["custom", "missing"]},
      "consent": {"_id": "consent", "_type": {"_id": "ConsentNode"}, "allRequired": true,
        "message": {"en": "May we share?"}},
      "password": {"_id": "password", "_type": {"_id": "CreatePasswordNode"}, "minPasswordLength": 0}},
     "scripts": {},
     "emailTemplates": {"welcome": {"enabled": true, "subject": {"en": "Welcome {{object.givenName}}"},
       "message": {"en": "<p>Hello</p>"}}},
     "tree": {"_id": "Join", "entryNodeId": "state", "nodes": {
      "state": {"nodeType": "SetStateNode", "displayName": "State", "connections": {"outcome": "start"}},
      "start": {"nodeType": "TimerStartNode", "displayName": "Start", "connections": {"outcome": "page"}},
      "page": {"nodeType": "PageNode", "displayName": "Page", "connections": {"outcome": "attributes"}},
      "attributes": {"nodeType": "AttributeCollectorNode", "displayName": "Attributes",
        "connections": {"outcome": "create"}},
      "create": {"nodeType": "ProvisionIdmAccountNode", "displayName": "Create",
        "connections": {"outcome": "alone"}},
      "alone": {"nodeType": "MetadataNode", "displayName": "Alone", "connections": {"outcome": "mail"}},
      "mail": {"nodeType": "EmailTemplateNode", "displayName": "Mail", "connections": {
        "EMAIL_SENT": "stop", "EMAIL_NOT_SENT": "e301438c-0bd0-429c-ab0c-66126501069a"}},
      "stop": {"nodeType": "TimerStopNode", "displayName": "Stop", "connections": {
        "outcome": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"}}}}}
    """

  private static let test = """
    journeys: Join.journey.json
    identities: identities.json
    tests:
      - name: somebody joins
        steps:
          - start: Join
            expect:
              callbacks:
                - ValidatedCreateUsernameCallback
                - MetadataCallback: {data: {custom: dummy value}}
                - ConsentMappingCallback: {displayName: Newsletter, message: May we share?, isRequired: true, fields: [mail]}
                - PasswordCallback: Password
                - PasswordCallback: Confirm Password
          - answer: {Username: mira, ConsentMappingCallback: false, Password: tulips in march, Confirm Password: tulips in march}
            expect: step
          - answer: {Username: mira, ConsentMappingCallback: true, Password: tulips in march, Confirm Password: tulips in mars}
            expect: step
          - answer: {Username: mira, ConsentMappingCallback: true, Password: tulips in march, Confirm Password: tulips in march}
            expect: {outcome: step, callbacks: [StringAttributeInputCallback, StringAttributeInputCallback, StringAttributeInputCallback]}
          - answer: [Mira, Weber, mira@example.com]
            expect:
              callbacks: [MetadataCallback: {data: {username: mira}}]
          - send:
            expect: {outcome: success, user: mira, session: true}
          - mail: {to: mira@example.com, subject: Welcome Mira}
          - account: mira
            expect: {account: {givenName: Mira}}
          - start: Login
          - answer: [mira, tulips in march]
            expect: success
    """

  @Test func `consent, data for apps, a new password and a provisioned account in one journey`() async throws
  {
    let folder = try TemporaryFolder.make()
    try folder.write(Array(Self.journey.utf8), to: "Join.journey.json")
    try folder.write(Array(Self.identities.utf8), to: "identities.json")
    try folder.write(Array(Self.test.utf8), to: "join.yaml")
    let report = try await JourneyTests().run([folder.file("join.yaml")])
    #expect(report.isSuccess, "\(report.text())")
  }

  @Test func `settings that cannot be used are the file's problem`() async throws {
    let folder = try TemporaryFolder.make()
    try folder.write(Array(#"{"consentMappings": 1}"#.utf8), to: "identities.json")
    try folder.write(Array(Self.test.utf8), to: "join.yaml")
    let report = try await JourneyTests().run([folder.file("join.yaml")])
    #expect(!report.isSuccess && report.text().contains("consentMappings: must be a list"), "\(report.text())")
  }
}
