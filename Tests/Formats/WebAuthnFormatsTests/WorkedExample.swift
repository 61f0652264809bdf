/// The worked example of this project's WebAuthn documents; both attestation objects and the assertion were verified with python `fido2`
/// and `webauthn`.
enum WorkedExample {
  static let relyingPartyID = "example.com"
  static let origin = "ios:bundle-id:com.example.app"
  static let registrationChallenge = bytes("041b99f80f6df6bd114ff669a01cb87f9f8e4b4bcca10d36b2e509fcc9caec10")
  static let authenticationChallenge = bytes(
    "48fd25ff4f24b3c7c77f813b3294d5616d5997c04fdd6a21bb420764a27ed1cf")
  static let x = bytes("7d50466a7ce9f3dda65d9e927dd39ab57cf1165cd26a31386601c29242e876fb")
  static let y = bytes("b8b17dba3fea305387ca41f3235a2c95c43dc7a0ac94d287edb052856df0d538")
  static let credentialID = bytes("b454f739db1ca970e884ff8a44d41fcb")
  static let creationJSON = #"""
    {"type":"webauthn.create","challenge":"BBuZ-A9t9r0RT_ZpoBy4f5-OS0vMoQ02suUJ_MnK7BA",\#
    "origin":"ios:bundle-id:com.example.app","crossOrigin":false}
    """#
  static let requestJSON = #"""
    {"type":"webauthn.get","challenge":"SP0l_08ks8fHf4E7MpTVYW1Zl8BP3Wohu0IHZKJ-0c8",\#
    "origin":"ios:bundle-id:com.example.app","crossOrigin":false}
    """#
  static let creationHash = bytes("c068dd4ff5f90c24fc468aa6cbbb808e9d91015fd5b5516ac3131fecb820b322")
  static let requestHash = bytes("bf5eff3b51f29bb25eec7a394d792b93e7dd48c2ced5861b1a2cb98fea8d3f3f")
  static let assertionData = bytes(
    "a379a6f6eeafb9a55e378c118034e2751e682fab9f2d30ab13d2125586ce19470500000001")
  static let key = bytes(
    """
    a50102032620012158207d50466a7ce9f3dda65d9e927dd39ab57cf1165cd26a31386601c29242e876fb225820b8b17dba3f
    ea305387ca41f3235a2c95c43dc7a0ac94d287edb052856df0d538
    """)
  static let noneObject = bytes(
    """
    a363666d74646e6f6e656761747453746d74a06861757468446174615894a379a6f6eeafb9a55e378c118034e2751e682fab
    9f2d30ab13d2125586ce19474500000000000000000000000000000000000000000010b454f739db1ca970e884ff8a44d41f
    cba50102032620012158207d50466a7ce9f3dda65d9e927dd39ab57cf1165cd26a31386601c29242e876fb225820b8b17dba
    3fea305387ca41f3235a2c95c43dc7a0ac94d287edb052856df0d538
    """)
  static let packedObject = bytes(
    """
    a363666d74667061636b65646761747453746d74a263616c672663736967584730450220082e85076ddf40706c2e359dd61d
    9a29a661a7a9b7be87d41cb61e59e294bf75022100ffb419631486af2833e137b8497a21ef5703c7ca42b94e387598fe1789
    517d366861757468446174615894a379a6f6eeafb9a55e378c118034e2751e682fab9f2d30ab13d2125586ce194745000000
    00000000000000000000000000000000000010b454f739db1ca970e884ff8a44d41fcba50102032620012158207d50466a7c
    e9f3dda65d9e927dd39ab57cf1165cd26a31386601c29242e876fb225820b8b17dba3fea305387ca41f3235a2c95c43dc7a0
    ac94d287edb052856df0d538
    """)
  static let packedSignature = bytes(
    """
    30450220082e85076ddf40706c2e359dd61d9a29a661a7a9b7be87d41cb61e59e294bf75022100ffb419631486af2833e137
    b8497a21ef5703c7ca42b94e387598fe1789517d36
    """)
  static let assertionSignature = bytes(
    """
    3046022100dde7a3649c5becc4e16007296e11ba686e304241aba0319e84e8f3b30e5bac1a02210093315cf101d61b673cbd
    1ebae510a15836ea20d56d6396895a9a2a5686abb5ef
    """)
  static let registrationOutcome = #"""
    {"type":"webauthn.create","challenge":"BBuZ-A9t9r0RT_ZpoBy4f5-OS0vMoQ02suUJ_MnK7BA","origin":"ios:bu\#
    ndle-id:com.example.app","crossOrigin":false}::-93,99,102,109,116,100,110,111,110,101,103,97,116,116\#
    ,83,116,109,116,-96,104,97,117,116,104,68,97,116,97,88,-108,-93,121,-90,-10,-18,-81,-71,-91,94,55,-1\#
    16,17,-128,52,-30,117,30,104,47,-85,-97,45,48,-85,19,-46,18,85,-122,-50,25,71,69,0,0,0,0,0,0,0,0,0,0\#
    ,0,0,0,0,0,0,0,0,0,0,0,16,-76,84,-9,57,-37,28,-87,112,-24,-124,-1,-118,68,-44,31,-53,-91,1,2,3,38,32\#
    ,1,33,88,32,125,80,70,106,124,-23,-13,-35,-90,93,-98,-110,125,-45,-102,-75,124,-15,22,92,-46,106,49,\#
    56,102,1,-62,-110,66,-24,118,-5,34,88,32,-72,-79,125,-70,63,-22,48,83,-121,-54,65,-13,35,90,44,-107,\#
    -60,61,-57,-96,-84,-108,-46,-121,-19,-80,82,-123,109,-16,-43,56::tFT3OdscqXDohP-KRNQfyw
    """#
  static let namedRegistrationOutcome = #"""
    {"type":"webauthn.create","challenge":"BBuZ-A9t9r0RT_ZpoBy4f5-OS0vMoQ02suUJ_MnK7BA","origin":"ios:bu\#
    ndle-id:com.example.app","crossOrigin":false}::-93,99,102,109,116,102,112,97,99,107,101,100,103,97,1\#
    16,116,83,116,109,116,-94,99,97,108,103,38,99,115,105,103,88,71,48,69,2,32,8,46,-123,7,109,-33,64,11\#
    2,108,46,53,-99,-42,29,-102,41,-90,97,-89,-87,-73,-66,-121,-44,28,-74,30,89,-30,-108,-65,117,2,33,0,\#
    -1,-76,25,99,20,-122,-81,40,51,-31,55,-72,73,122,33,-17,87,3,-57,-54,66,-71,78,56,117,-104,-2,23,-11\#
    9,81,125,54,104,97,117,116,104,68,97,116,97,88,-108,-93,121,-90,-10,-18,-81,-71,-91,94,55,-116,17,-1\#
    28,52,-30,117,30,104,47,-85,-97,45,48,-85,19,-46,18,85,-122,-50,25,71,69,0,0,0,0,0,0,0,0,0,0,0,0,0,0\#
    ,0,0,0,0,0,0,0,16,-76,84,-9,57,-37,28,-87,112,-24,-124,-1,-118,68,-44,31,-53,-91,1,2,3,38,32,1,33,88\#
    ,32,125,80,70,106,124,-23,-13,-35,-90,93,-98,-110,125,-45,-102,-75,124,-15,22,92,-46,106,49,56,102,1\#
    ,-62,-110,66,-24,118,-5,34,88,32,-72,-79,125,-70,63,-22,48,83,-121,-54,65,-13,35,90,44,-107,-60,61,-\#
    57,-96,-84,-108,-46,-121,-19,-80,82,-123,109,-16,-43,56::tFT3OdscqXDohP-KRNQfyw::My Laptop
    """#
  static let assertionOutcome = #"""
    {"type":"webauthn.get","challenge":"SP0l_08ks8fHf4E7MpTVYW1Zl8BP3Wohu0IHZKJ-0c8","origin":"ios:bundl\#
    e-id:com.example.app","crossOrigin":false}::-93,121,-90,-10,-18,-81,-71,-91,94,55,-116,17,-128,52,-3\#
    0,117,30,104,47,-85,-97,45,48,-85,19,-46,18,85,-122,-50,25,71,5,0,0,0,1::48,70,2,33,0,-35,-25,-93,10\#
    0,-100,91,-20,-60,-31,96,7,41,110,17,-70,104,110,48,66,65,-85,-96,49,-98,-124,-24,-13,-77,14,91,-84,\#
    26,2,33,0,-109,49,92,-15,1,-42,27,103,60,-67,30,-70,-27,16,-95,88,54,-22,32,-43,109,99,-106,-119,90,\#
    -102,42,86,-122,-85,-75,-17::tFT3OdscqXDohP-KRNQfyw::ZGVtbw
    """#
  static let assertionOutcomeJSON = #"""
    {"authenticatorAttachment":"platform","legacyData":"{\"type\":\"webauthn.get\",\"challenge\":\"SP0l_\#
    08ks8fHf4E7MpTVYW1Zl8BP3Wohu0IHZKJ-0c8\",\"origin\":\"ios:bundle-id:com.example.app\",\"crossOrigin\\#
    ":false}::-93,121,-90,-10,-18,-81,-71,-91,94,55,-116,17,-128,52,-30,117,30,104,47,-85,-97,45,48,-85,\#
    19,-46,18,85,-122,-50,25,71,5,0,0,0,1::48,70,2,33,0,-35,-25,-93,100,-100,91,-20,-60,-31,96,7,41,110,\#
    17,-70,104,110,48,66,65,-85,-96,49,-98,-124,-24,-13,-77,14,91,-84,26,2,33,0,-109,49,92,-15,1,-42,27,\#
    103,60,-67,30,-70,-27,16,-95,88,54,-22,32,-43,109,99,-106,-119,90,-102,42,86,-122,-85,-75,-17::tFT3O\#
    dscqXDohP-KRNQfyw::ZGVtbw"}
    """#
}
